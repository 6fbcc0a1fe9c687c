package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.option;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: endpoints ask for another receive size, and keep to what they asked for. Method: the test
 * plays the other end, over iWARP.
 */
class ReceiveSizeRequestsByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final int CREDITS = 3;
    private static final int ANNOUNCED = 8192;
    private static final int WANTED = 2048;

    /** Receives without segments for bulk data, and no fetched replies. */
    private static final Version2 PLAIN =
            Version2.DEFAULT.withSpeaks1(false).withoutTransmissions().withoutFetchedReplies();

    /** A client of ours that asks its server, which the test plays, for another receive size. */
    private static final class AskingClient implements AutoCloseable {
        private final ClientUnderTest test;
        private final int wish;

        /** Connects to a server that accepts 8 KiB, and expects the request for another size. */
        AskingClient(int wanted) throws Exception {
            var options =
                    RpcRdmaOptions.DEFAULT.toBuilder()
                            .inlineSend(ANNOUNCED)
                            .inlineReceive(ANNOUNCED)
                            .build()
                            .withProfile(new Version2Profile(PLAIN.withWantedReceive(wanted)));
            test = new ClientUnderTest(options, RECEIVE_BYTES);
            test.introduce(new ReceiveSize(ANNOUNCED));
            test.client();
            var asked = test.hear();
            var request = operation(ChangeRequest.class, asked);
            assertEquals(List.of(new ReceiveSize(wanted)), request.want());
            wish = asked.xid();
        }

        /**
         * Returns the longest Send of a call of 6000 bytes; any earlier message would fail the
         * test.
         */
        int sends() throws Exception {
            var data = MemorySegment.ofArray(EchoProgram.pattern(6000, 1));
            return test.call(EchoProgram.tell(data)).getFirst().bytes().length;
        }

        void answer(Subset done, Subset rejected, Subset pending) throws Exception {
            test.say(wish, new ChangeResponse(done, rejected, pending));
            // A client polls only while it waits for the reply to a call.
            sends();
        }

        void update(int size, boolean endsPending) throws Exception {
            var update = new Operation.Update(new ReceiveSize(size), endsPending);
            test.server.send(option(900, Direction.CALL, update));
            sends();
        }

        @Override
        public void close() {
            test.close();
        }
    }

    private static void isShort(int length) {
        assertTrue(length <= WANTED, () -> "a Send of " + length);
    }

    private static void isLong(int length) {
        assertTrue(length > 6000, () -> "a Send of " + length);
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-4.3-2")
    @Tag("XCH-4-2")
    void aRequestForLessLimitsSendsAtOnce() throws Exception {
        try (var asked = new AskingClient(WANTED)) {
            isShort(asked.sends());
            asked.answer(Subset.of(0), Subset.of(), Subset.of());
            isShort(asked.sends());
            isShort(asked.sends());
        }
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-3-2")
    void aRejectedRequestLimitsNoSends() throws Exception {
        try (var asked = new AskingClient(WANTED)) {
            isShort(asked.sends());
            asked.answer(Subset.of(), Subset.of(0), Subset.of());
            isLong(asked.sends());
        }
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-4.4-3")
    void aPendingRequestLimitsSendsUntilAnUpdateEndsIt() throws Exception {
        try (var asked = new AskingClient(WANTED)) {
            asked.answer(Subset.of(), Subset.of(), Subset.of(0));
            isShort(asked.sends());
            asked.update(ANNOUNCED, false);
            isShort(asked.sends());
            // The update has the old value.
            asked.update(ANNOUNCED, true);
            isLong(asked.sends());
        }
    }

    /** A request for a larger size allows no longer Sends before the answer. */
    @Test
    @Tag("XCH-4.3-2")
    @Tag("XCH-4-3")
    void aGrantedRequestIsInForceAndTheOnlyOne() throws Exception {
        try (var asked = new AskingClient(ANNOUNCED / 2)) {
            for (int i = 0; i < 3; i++) {
                // Every message is the call: there is no second request.
                assertTrue(asked.sends() <= ANNOUNCED / 2);
            }
            asked.answer(Subset.of(0), Subset.of(), Subset.of());
            assertTrue(asked.sends() <= ANNOUNCED / 2);
        }
    }

    /** A further exchange of the server announces changes, and causes no other request. */
    @Test
    @Tag("XCH-4-3")
    @Tag("XCH-4.1-6")
    void aSecondInitialExchangeCausesNoOtherRequest() throws Exception {
        try (var asked = new AskingClient(2 * ANNOUNCED)) {
            asked.test.introduce(new ReceiveSize(ANNOUNCED / 2));
            assertTrue(asked.sends() <= ANNOUNCED);
            assertTrue(asked.sends() <= ANNOUNCED / 2);
            asked.answer(Subset.of(0), Subset.of(), Subset.of());
            isLong(asked.sends());
        }
    }

    private static ServerUnderTest serve(Version2 version2) throws Exception {
        return new ServerUnderTest(
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(CREDITS)
                        .build()
                        .withProfile(new Version2Profile(version2)),
                RECEIVE_BYTES);
    }

    private static ChangeResponse ask(ManualPeer client, int xid, long size) throws Exception {
        var wish = new ChangeRequest(List.of(new ReceiveSize(size)));
        client.send(option(xid, Direction.CALL, wish));
        return operation(ChangeResponse.class, header(client.receive()));
    }

    /** A smaller size is in force at once; a peer that did not ask is not sent a smaller size. */
    @Test
    @Tag("XCH-3.1-5")
    @Tag("XCH-3-3")
    void aServerHasSmallerReceivesOnlyForAClientThatAsks() throws Exception {
        try (var test = serve(PLAIN);
                var other = test.connect()) {
            var asks = test.client;
            test.introduce(new ReceiveSize(RECEIVE_BYTES));
            ServerUnderTest.introduce(other, new ReceiveSize(RECEIVE_BYTES));
            assertEquals(
                    new ChangeResponse(Subset.of(0), Subset.of(), Subset.of()),
                    ask(asks, 2, WANTED));
            for (int xid = 10; xid < 40; xid++) {
                asks.send(test.call(xid, EchoProgram.nullCall()));
                // No update arrives in between.
                assertInstanceOf(Version2Header.Msg.class, header(asks.receive()));
                other.send(test.call(xid, EchoProgram.nullCall()));
                assertInstanceOf(Version2Header.Msg.class, header(other.receive()));
            }
            // The receive size grows again only when an update says so.
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(), Subset.of(0)),
                    ask(asks, 3, WANTED + 4));
        }
    }

    @Test
    @Tag("XCH-4.3-6")
    @Tag("XCH-3-2")
    void aServerWithPlacementSegmentsKeepsItsReceiveSize() throws Exception {
        try (var test = serve(Version2.DEFAULT.withSpeaks1(false))) {
            test.introduce(new ReceiveSize(RECEIVE_BYTES));
            for (int size : new int[] {WANTED, 16 << 10}) {
                assertEquals(
                        new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                        ask(test.client, size, size));
            }
        }
    }

    /** Both ends are ours. */
    @Test
    @Tag("XCH-3.1-5")
    @Tag("XCH-3.1-6")
    void aClientGetsTheSmallerReceivesThatItAsksFor() throws Exception {
        try (var test = serve(PLAIN);
                var client =
                        Connections.connect(
                                new IwarpProvider(),
                                test.server.address(),
                                new Credential.None(),
                                List.of(EchoProgram.BINDING),
                                RpcRdmaOptions.DEFAULT.withProfile(
                                        new Version2Profile(PLAIN.withWantedReceive(WANTED))))) {
            var data = MemorySegment.ofArray(EchoProgram.pattern(3000, 1));
            for (int i = 0; i < 10; i++) {
                try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
                    assertEquals(EchoProgram.sum(data), reply.results().uint64());
                }
            }
            assertEquals(10, client.statistics().value(Counter.LONG_CALLS));
        }
    }
}
