package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.words;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.BufferStructure.Group;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveStructure;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RemoteInvalidation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.RequestTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ResponseTransmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReverseSupport;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.Continuation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client of version 2 sends its characteristics, and makes requests that its server
 * accepts. Method: the test plays the server, over iWARP.
 */
class RequestsByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int FIRST_MESSAGE_MAX = 1024;
    private static final int ANNOUNCED = 4096;
    private static final int PLACE_BYTES = 8192;

    /** Of a structure of receive buffers; no document has it. */
    private static final int UNKNOWN_FLAG = 1 << 6;

    private static final int ALL = 7;
    private static final int WITHOUT_CONTINUATIONS = 3;

    /** Returns a client that has the characteristics of its server. */
    private static ClientUnderTest known(TransferPolicy transferPolicy, Characteristic... announced)
            throws Exception {
        var version2 =
                Version2.DEFAULT
                        .withSpeaks1(false)
                        .withTransmissions(Transmissions.DEFAULT.withTransferPolicy(transferPolicy))
                        .withoutFetchedReplies();
        var test =
                new ClientUnderTest(
                        RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2)),
                        ANNOUNCED + PLACE_BYTES);
        test.introduce(announced);
        // The grant of the first exchange does not count yet; the reply to this call grants it.
        test.call(EchoProgram.nullCall());
        return test;
    }

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    private static RpcCall store(int length) {
        return EchoProgram.store(5, MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    private static TransmitRequest request(ManualPeer.ReceivedMessage send) {
        var option = assertInstanceOf(Version2Header.Option.class, header(send));
        return assertInstanceOf(TransmitRequest.class, option.operation());
    }

    private static ReceiveStructure places() {
        return new ReceiveStructure(
                new BufferStructure(
                        ANNOUNCED + PLACE_BYTES,
                        List.of(
                                new Group(1, ANNOUNCED, 0, UNKNOWN_FLAG),
                                new Group(1, PLACE_BYTES, 64, Group.PLACEMENT | UNKNOWN_FLAG))));
    }

    @Test
    @Tag("XCH-4.1-1")
    @Tag("XCH-4.1-4")
    @Tag("RTR-3.3-1")
    @Tag("RTR-5.3-3")
    @Tag("RTR-8.1-1")
    @Tag("RTR-8.2-1")
    @Tag("RTR-8.3-1")
    @Tag("V2-5-1")
    @Tag("V2-4.2.1-3")
    void sendsItsCharacteristicsFirstInAShortMessage() throws Exception {
        // This server accepts none of it.
        try (var test = known(TransferPolicy.CHEAPEST)) {
            assertTrue(test.hello.bytes().length <= FIRST_MESSAGE_MAX);
            assertEquals(header(test.hello).encodedLength(), test.hello.bytes().length);
            var option = assertInstanceOf(Version2Header.Option.class, header(test.hello));
            assertEquals(Direction.CALL, option.direction());
            var announced = assertInstanceOf(InitialExchange.class, option.operation()).start();
            var kinds = announced.stream().<Class<?>>map(Object::getClass).toList();
            assertTrue(
                    kinds.containsAll(
                            List.of(
                                    ReceiveSize.class,
                                    RemoteInvalidation.class,
                                    ReverseSupport.class,
                                    Characteristic.Transmissions.class,
                                    ReceiveStructure.class,
                                    RequestTransmissions.class,
                                    ResponseTransmissions.class)),
                    kinds::toString);
            var structure =
                    announced.stream()
                            .filter(ReceiveStructure.class::isInstance)
                            .map(each -> ((ReceiveStructure) each).structure())
                            .findFirst()
                            .orElseThrow();
            assertTrue(announced.contains(new ReceiveSize(structure.length())));
            assertTrue(structure.groups().getLast().flags() == Group.PLACEMENT);
        }
    }

    @Test
    @Tag("RTR-4.2-2")
    @Tag("RTR-9.2-3")
    @Tag("RTR-9.2-4")
    @Tag("RTR-9.4-1")
    @Tag("RTR-9.4-3")
    @Tag("V2-4.2.1-3")
    void sendsALongRequestInSeveralSends() throws Exception {
        try (var test =
                known(
                        TransferPolicy.CONTINUED,
                        new ReceiveSize(ANNOUNCED),
                        new Characteristic.Transmissions(ALL),
                        new RequestTransmissions(3))) {
            var sends = test.call(tell(9000));
            assertEquals(3, sends.size());
            var request = request(sends.getFirst());
            assertEquals(3, request.count());
            assertEquals(List.of(), request.moved());
            assertEquals(List.of(), request.directions());
            int xid = header(sends.getFirst()).xid();
            var stream = new ByteArrayOutputStream();
            for (int i = 0; i < 3; i++) {
                byte[] bytes = sends.get(i).bytes();
                assertTrue(bytes.length <= ANNOUNCED);
                var option = assertInstanceOf(Version2Header.Option.class, header(sends.get(i)));
                assertEquals(xid, option.xid());
                long payload = request.payloadLength();
                if (i > 0) {
                    payload = ((Continuation) option.operation()).payloadLength();
                    assertEquals(
                            new Continuation(i, Version2HeaderCodec.XMTREQ, payload),
                            option.operation());
                }
                int at = option.encodedLength();
                assertEquals(bytes.length, at + payload);
                stream.write(bytes, at, (int) payload);
            }
            byte[] message = stream.toByteArray();
            assertEquals(xid, MemorySegment.ofArray(message).get(WORD, 0));
            assertArrayEquals(
                    EchoProgram.pattern(9000, 1),
                    Arrays.copyOfRange(message, message.length - 9000, message.length));
        }
    }

    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Checks that a call is fetched by a server that does not accept so many Sends. */
    private void isFetched(Characteristic... announced) throws Exception {
        try (var test = known(TransferPolicy.CONTINUED, announced)) {
            var sends = test.call(tell(9000));
            assertEquals(1, sends.size());
            var fetched = assertInstanceOf(Version2Header.NoMsg.class, header(sends.getFirst()));
            assertEquals(0, fetched.chunks().readList().getFirst().position());
        }
    }

    @Test
    @Tag("RTR-5.1-1")
    @Tag("RTR-5.2-1")
    @Tag("RTR-5.2-2")
    @Tag("RTR-9.4-2")
    void sendsNoMoreThanTheServerTakes() throws Exception {
        isFetched();
        isFetched(new Characteristic.Transmissions(ALL));
        isFetched(new Characteristic.Transmissions(ALL), new RequestTransmissions(2));
        isFetched(
                new Characteristic.Transmissions(WITHOUT_CONTINUATIONS),
                new RequestTransmissions(8));
    }

    @Test
    @Tag("RTR-3.3-2")
    @Tag("RTR-6.2-2")
    @Tag("RTR-7.1-1")
    @Tag("RTR-7.2-4")
    @Tag("RTR-7.2-5")
    @Tag("RTR-9.2-1")
    @Tag("RTR-11-1")
    void putsBulkDataIntoThePlacementSegmentsOfTheServer() throws Exception {
        try (var test =
                known(
                        TransferPolicy.PLACED,
                        new ReceiveSize(ANNOUNCED + PLACE_BYTES),
                        new Characteristic.Transmissions(ALL),
                        places())) {
            int length = 5001;
            var send = test.call(store(length)).getFirst();
            var request = request(send);
            // A call header, the number, and the length.
            int before = 40 + 4 + 4;
            assertEquals(
                    List.of(
                            new PlacementItem(
                                    before, length, new Location.Numbered(0, List.of(0L)))),
                    request.moved());
            assertEquals(before, request.payloadLength());
            byte[] bytes = send.bytes();
            int end = header(send).encodedLength() + before;
            assertArrayEquals(new byte[ANNOUNCED - end], Arrays.copyOfRange(bytes, end, ANNOUNCED));
            assertArrayEquals(
                    EchoProgram.pattern(length, 1),
                    Arrays.copyOfRange(bytes, ANNOUNCED, ANNOUNCED + length));
        }
    }

    @Test
    @Tag("RTR-5.3-1")
    void placesNothingAtAServerWithoutPlacementSegments() throws Exception {
        try (var test =
                known(
                        TransferPolicy.PLACED,
                        new ReceiveSize(ANNOUNCED),
                        new Characteristic.Transmissions(ALL))) {
            var chunks =
                    assertInstanceOf(
                                    Version2Header.Msg.class,
                                    header(test.call(store(5001)).getFirst()))
                            .chunks();
            assertEquals(5001, chunks.readList().getFirst().target().size());
        }
    }

    @Test
    @Tag("V2-4.2.3-3")
    @Tag("V2-4.2.3-4")
    @Tag("V2-4.2.3-6")
    void answersNoMalformedReplyAndEndsACallByAnError() throws Exception {
        try (var test = known(TransferPolicy.CHEAPEST)) {
            var calling = test.start(EchoProgram.nullCall());
            int xid = test.hear().xid();
            // A list without an end, the message of another call, and no message.
            test.server.send(words(xid, 2, CREDITS, 0, 1, 0, 0, 2, xid, 1));
            test.server.send(words(xid, 2, CREDITS, 0, 1, 0, 0, 0, xid + 1, 1, 0, 0, 0, 0));
            test.server.send(words(xid, 2, CREDITS, 0, 1, 0, 0, 0));
            test.say(new Version2Header.BadHeader(xid, CREDITS), new byte[0]);
            var failure = assertThrows(ExecutionException.class, calling::get);
            assertInstanceOf(RpcException.TransportRefused.class, failure.getCause());
            // The next message is the next call.
            var next = header(test.call(EchoProgram.nullCall()).getFirst());
            assertInstanceOf(Version2Header.Msg.class, next);
            assertTrue(next.xid() != xid);
        }
    }

    private static ClientUnderTest placing() throws Exception {
        return known(
                TransferPolicy.PLACED,
                new ReceiveSize(ANNOUNCED + PLACE_BYTES),
                new Characteristic.Transmissions(ALL),
                new RequestTransmissions(8),
                places());
    }

    /** Returns the Sends of a call, whose reply grants so many credits. */
    private static List<ManualPeer.ReceivedMessage> call(
            ClientUnderTest test, RpcCall call, int granted) throws Exception {
        var calling = test.start(call);
        var sends = test.hearAll();
        test.succeed(header(sends.getFirst()).xid(), granted, _ -> {});
        calling.get().close();
        return sends;
    }

    @Test
    @Tag("RTR-4.2-5")
    @Tag("V2-4.2.2-4")
    void everySendOfARequestHasSomethingInIt() throws Exception {
        try (var test = placing()) {
            var sends = test.call(store(20_000));
            assertEquals(3, sends.size());
            long payload = request(sends.getFirst()).payloadLength();
            // The message is a call.
            assertEquals(0, Version2ByHand.payload(sends.getFirst()).getInt(Integer.BYTES));
            for (var send : sends) {
                var option = assertInstanceOf(Version2Header.Option.class, header(send));
                assertEquals(Direction.CALL, option.direction());
                if (option.operation() instanceof Operation.Continuation more) {
                    payload = more.payloadLength();
                }
                assertTrue(payload > 0 || send.bytes().length > ANNOUNCED);
            }
        }
    }

    /** Placed data takes as many Sends as inline data; without credits for them it is read. */
    @Test
    @Tag("RTR-5.3-5")
    void placesDataOnlyWhereThereAreCreditsForIt() throws Exception {
        try (var test = placing()) {
            assertEquals(4, call(test, store(30_000), 5).size());
            // One credit is kept back.
            assertEquals(4, call(test, store(30_000), 3).size());
            var fetched = assertInstanceOf(Version2Header.Msg.class, header(sole(test, 3)));
            assertEquals(30_000, fetched.chunks().readList().getFirst().target().size());
            assertEquals(2, call(test, store(9000), 3).size());
        }
    }

    /** Method: seven credits, as one is kept back, for calls of three Sends each. */
    @Test
    @Tag("RTR-4.3-2")
    void takesTheCreditsForAllSendsOfACallOrForNone() throws Exception {
        try (var test =
                known(
                        TransferPolicy.CONTINUED,
                        new ReceiveSize(ANNOUNCED),
                        new Characteristic.Transmissions(ALL),
                        new RequestTransmissions(3))) {
            var first = test.start(tell(9000));
            var sends = test.hearAll();
            assertEquals(3, sends.size());
            int xid = header(sends.getFirst()).xid();
            var second = test.start(tell(9000));
            int secondXid = header(test.hearAll().getFirst()).xid();
            // One credit is left: the server fetches the message.
            var third = test.start(tell(9000));
            var fetched = assertInstanceOf(Version2Header.NoMsg.class, test.hear());
            assertEquals(0, fetched.chunks().readList().getFirst().position());
            var fourth = test.start(tell(9000));
            makesNoCall(test, 900);
            test.succeed(xid, CREDITS, _ -> {});
            first.get().close();
            sends = test.hearAll();
            assertEquals(3, sends.size());
            for (int each : List.of(secondXid, fetched.xid(), header(sends.getFirst()).xid())) {
                test.succeed(each, CREDITS, _ -> {});
            }
            for (var each : List.of(second, third, fourth)) {
                each.get().close();
            }
        }
    }

    private static ManualPeer.ReceivedMessage sole(ClientUnderTest test, int granted)
            throws Exception {
        var sends = call(test, store(30_000), granted);
        assertEquals(1, sends.size());
        return sends.getFirst();
    }

    /** Checks that the client makes no call: it answers at once, so a call would arrive before. */
    private static void makesNoCall(ClientUnderTest test, int xid) throws Exception {
        var wish = new Operation.ChangeRequest(List.of(new RequestTransmissions(1)));
        test.server.send(Version2ByHand.option(xid, Direction.CALL, wish));
        assertEquals(xid, test.hear().xid());
    }

    private static CallOutcome addTo(List<String> outcomes) {
        return new CallOutcome() {
            @Override
            public void succeeded(XdrReader results) {
                outcomes.add("reply");
            }

            @Override
            public void failed(RpcException reason) {
                outcomes.add("error");
            }
        };
    }

    @Test
    @Tag("V2-5-2")
    void makesOneCallUntilAReplyHasGrantedMore() throws Exception {
        var version2 = Version2.DEFAULT.withSpeaks1(false);
        try (var test =
                        new ClientUnderTest(
                                RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2)),
                                ANNOUNCED);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            test.say(new Version2Header.BadOption(header(test.hello).xid(), CREDITS), new byte[0]);
            try (var pipeline = test.client().pipeline()) {
                var outcomes = new ArrayList<String>();
                for (int i = 0; i < 4; i++) {
                    pipeline.submit(EchoProgram.nullCall(), TIMEOUT, addTo(outcomes));
                }
                var progress =
                        threads.submit(
                                () -> {
                                    while (outcomes.size() < 4) {
                                        pipeline.poll(TIMEOUT);
                                    }
                                    return null;
                                });
                int first = test.hear().xid();
                makesNoCall(test, 900);
                // An error grants nothing, even if it has credits.
                test.say(new Version2Header.BadHeader(first, CREDITS), new byte[0]);
                int second = test.hear().xid();
                makesNoCall(test, 901);
                test.succeed(second, CREDITS, _ -> {});
                int third = test.hear().xid();
                int fourth = test.hear().xid();
                test.succeed(third, CREDITS, _ -> {});
                test.succeed(fourth, CREDITS, _ -> {});
                progress.get();
                assertEquals(List.of("error", "reply", "reply", "reply"), outcomes);
            }
        }
    }
}
