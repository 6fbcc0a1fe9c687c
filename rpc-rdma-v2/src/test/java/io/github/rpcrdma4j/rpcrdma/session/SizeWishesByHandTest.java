package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Version2Heard.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallHeader;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.oncrpc.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: endpoints ask for another receive size, and keep to what they asked for. Method: the other
 * end is worked by hand, over iWARP.
 */
class SizeWishesByHandTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final byte[] SAYS_NOTHING = {};
    private static final int CREDITS = 3;
    private static final int TOLD = 8192;
    private static final int WANTED = 2048;

    /** Receives without places for bulk data, and nothing that is fetched. */
    private static final Version2 PLAIN =
            Version2.DEFAULT.withSpeaks1(false).withoutTransmissions().withoutFetchedReplies();

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 16);

    private static <T extends Operation> T operation(Class<T> kind, Header header) {
        return assertInstanceOf(kind, assertInstanceOf(Header.Option.class, header).operation());
    }

    private static byte[] option(int xid, Direction direction, Operation operation) {
        return ByHand.message(new Header.Option(xid, CREDITS, direction, operation), new byte[0]);
    }

    private byte[] success(int xid, Direction direction) {
        try (var out = new XdrWriter(pool)) {
            new ReplyHeader.Success(xid).encode(out);
            out.uint64(0);
            return ByHand.message(
                    new Header.Msg(xid, CREDITS, direction, ChunkLists.EMPTY),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** A client of ours that wants another size of a server worked by hand. */
    private final class Wishing implements AutoCloseable {
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final Listener listener = provider.listen(HandPeer.LOOPBACK);
        private final HandPeer server;
        private final RpcRdmaClient client;
        private final int wish;

        /** The server takes 8 KiB, and is asked for other receives. */
        Wishing(int wanted) throws Exception {
            var options =
                    RpcRdmaOptions.DEFAULT
                            .withInline(TOLD, TOLD)
                            .withProfile(new Version2Profile(PLAIN.withWantedReceive(wanted)));
            var connecting =
                    threads.submit(
                            () ->
                                    RpcRdmaClient.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.BINDING),
                                            options));
            server = HandPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES);
            var hello = header(server.hear());
            var told = new InitialExchange(List.of(new ReceiveSize(TOLD)), Subset.of());
            server.say(option(hello.xid(), Direction.REPLY, told));
            client = connecting.get();
            var asked = header(server.hear());
            var request = operation(ChangeRequest.class, asked);
            assertEquals(List.of(new ReceiveSize(wanted)), request.want());
            wish = asked.xid();
        }

        /** The longest Send that a call of 6000 bytes makes; what came before it was no call. */
        int sends() throws Exception {
            var data = MemorySegment.ofArray(EchoProgram.pattern(6000, 1));
            var calling = threads.submit(() -> client.call(EchoProgram.tell(data), DEADLINE));
            var call = server.hear();
            server.say(success(header(call).xid(), Direction.REPLY));
            calling.get().close();
            return call.octets().length;
        }

        void answer(Subset done, Subset rejected, Subset pending) throws Exception {
            server.say(option(wish, Direction.REPLY, new ChangeResponse(done, rejected, pending)));
            // A client reads while it waits for the reply to a call.
            sends();
        }

        void update(int size, boolean endsPending) throws Exception {
            var update = new Operation.Update(new ReceiveSize(size), endsPending);
            server.say(option(900, Direction.CALL, update));
            sends();
        }

        @Override
        public void close() {
            client.close();
            server.close();
            listener.close();
            threads.close();
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
    void whoAsksForLessSendsNothingLongerFromThatMoment() throws Exception {
        try (var asked = new Wishing(WANTED)) {
            isShort(asked.sends());
            asked.answer(Subset.of(0), Subset.of(), Subset.of());
            isShort(asked.sends());
            isShort(asked.sends());
        }
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-3-2")
    void whoWasTurnedDownSendsAsMuchAsBefore() throws Exception {
        try (var asked = new Wishing(WANTED)) {
            isShort(asked.sends());
            asked.answer(Subset.of(), Subset.of(0), Subset.of());
            isLong(asked.sends());
        }
    }

    @Test
    @Tag("XCH-3.1-6")
    @Tag("XCH-4.4-3")
    void whatIsPendingBindsUntilAnUpdateEndsIt() throws Exception {
        try (var asked = new Wishing(WANTED)) {
            asked.answer(Subset.of(), Subset.of(), Subset.of(0));
            isShort(asked.sends());
            asked.update(TOLD, false);
            isShort(asked.sends());
            // With the value that it had.
            asked.update(TOLD, true);
            isLong(asked.sends());
        }
    }

    /** A wish for more is no leave to send more, before the answer. */
    @Test
    @Tag("XCH-4.3-2")
    @Tag("XCH-4-3")
    void whatIsDoneIsInForceAndNothingElseIsAskedMeanwhile() throws Exception {
        try (var asked = new Wishing(TOLD / 2)) {
            for (int i = 0; i < 3; i++) {
                // Every message is the call: there is no second wish.
                assertTrue(asked.sends() <= TOLD / 2);
            }
            asked.answer(Subset.of(0), Subset.of(), Subset.of());
            assertTrue(asked.sends() <= TOLD / 2);
        }
    }

    /** A client worked by hand, and a server of ours. */
    private RpcRdmaServer serve(Version2 version2) throws Exception {
        return RpcRdmaServer.listen(
                provider,
                HandPeer.LOOPBACK,
                List.of(new EchoProgram()),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT
                        .withCredits(CREDITS)
                        .withProfile(new Version2Profile(version2)));
    }

    private HandPeer known(RpcRdmaServer server) throws Exception {
        var client = HandPeer.connect(provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES);
        var told = new InitialExchange(List.of(new ReceiveSize(RECEIVE_BYTES)), Subset.of());
        client.say(option(1, Direction.CALL, told));
        operation(InitialExchange.class, header(client.hear()));
        return client;
    }

    private static ChangeResponse ask(HandPeer client, int xid, long size) throws Exception {
        var wish = new ChangeRequest(List.of(new ReceiveSize(size)));
        client.say(option(xid, Direction.CALL, wish));
        return operation(ChangeResponse.class, header(client.hear()));
    }

    private byte[] nullCall(int xid) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, 0, RawAuth.NONE);
            return ByHand.message(
                    new Header.Msg(xid, CREDITS, Direction.CALL, ChunkLists.EMPTY),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Less is in force at once; and whoever did not ask is not told of less, ever. */
    @Test
    @Tag("XCH-3.1-5")
    void aServerHasLessForWhoAsksAndForNoOther() throws Exception {
        try (var server = serve(PLAIN);
                var asks = known(server);
                var other = known(server)) {
            assertEquals(
                    new ChangeResponse(Subset.of(0), Subset.of(), Subset.of()),
                    ask(asks, 2, WANTED));
            for (int xid = 10; xid < 40; xid++) {
                asks.say(nullCall(xid));
                // Nothing else comes in between: no update.
                assertInstanceOf(Header.Msg.class, header(asks.hear()));
                other.say(nullCall(xid));
                assertInstanceOf(Header.Msg.class, header(other.hear()));
            }
            // What takes less takes more again only once it says so.
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(), Subset.of(0)),
                    ask(asks, 3, WANTED + 4));
        }
    }

    @Test
    @Tag("XCH-4.3-6")
    @Tag("XCH-3-2")
    void aServerWhoseReceivesHavePlacesForBulkDataKeepsTheirSize() throws Exception {
        try (var server = serve(Version2.DEFAULT.withSpeaks1(false));
                var client = known(server)) {
            for (int size : new int[] {WANTED, 16 << 10}) {
                assertEquals(
                        new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                        ask(client, size, size));
            }
        }
    }

    /** Both ends are ours. */
    @Test
    @Tag("XCH-3.1-5")
    @Tag("XCH-3.1-6")
    void aClientGetsTheSmallerReceivesThatItAsksFor() throws Exception {
        try (var server = serve(PLAIN);
                var client =
                        RpcRdmaClient.connect(
                                provider,
                                server.address(),
                                new Credential.None(),
                                List.of(EchoProgram.BINDING),
                                RpcRdmaOptions.DEFAULT.withProfile(
                                        new Version2Profile(PLAIN.withWantedReceive(WANTED))))) {
            var data = MemorySegment.ofArray(EchoProgram.pattern(3000, 1));
            for (int i = 0; i < 10; i++) {
                try (var reply = client.call(EchoProgram.tell(data), DEADLINE)) {
                    assertEquals(EchoProgram.sum(data), reply.results().uint64());
                }
            }
            assertEquals(10, client.statistics().value(Counter.LONG_CALLS));
        }
    }
}
