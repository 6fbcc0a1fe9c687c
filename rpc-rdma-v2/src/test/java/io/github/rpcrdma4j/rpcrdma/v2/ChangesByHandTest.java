package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.OneVersion;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReceiveSize;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.Reverse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.ChangeResponse;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: whole endpoints keep to the characteristics that both sides have sent. Method: the test
 * plays the other end, over iWARP.
 */
class ChangesByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 32 << 10;
    private static final int CREDITS = 3;
    private static final int REVERSE_PROGRAM = 0x4000_0000;

    /** Receives without segments for bulk data, so that they may grow. */
    private static final Version2 PLAIN =
            Version2.DEFAULT.withSpeaks1(false).withoutTransmissions();

    private static ServerUnderTest serve(RpcProgram program) throws Exception {
        return new ServerUnderTest(
                program,
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(CREDITS)
                        .build()
                        .withProfile(new Version2Profile(PLAIN)),
                RECEIVE_BYTES);
    }

    /** Returns a server that knows the receive size of its client, and these characteristics. */
    private static ServerUnderTest known(RpcProgram program, Characteristic... more)
            throws Exception {
        var test = serve(program);
        var all = new ArrayList<Characteristic>(List.of(more));
        all.addFirst(new ReceiveSize(RECEIVE_BYTES));
        test.introduce(all.toArray(Characteristic[]::new));
        return test;
    }

    private static ChangeResponse ask(ServerUnderTest test, int xid, Characteristic... wanted)
            throws Exception {
        test.say(xid, new ChangeRequest(List.of(wanted)));
        var answer = test.hear();
        assertEquals(xid, answer.xid());
        assertEquals(Direction.REPLY, ((Version2Header.Option) answer).direction());
        return operation(ChangeResponse.class, answer);
    }

    @Test
    @Tag("XCH-4.2-1")
    @Tag("XCH-4.3-1")
    @Tag("XCH-4.3-3")
    @Tag("XCH-4.3-5")
    void aServerAnswersEveryRequestAndRejectsImpossibleChanges() throws Exception {
        try (var test = known(new EchoProgram())) {
            Characteristic[] wanted = {
                new Characteristic.RemoteInvalidation(false),
                new Characteristic.ReverseSupport(Reverse.NONE),
                new Characteristic.Transmissions(0),
                new Characteristic.RequestTransmissions(9),
                new ReadChunks(0),
                new ReceiveSize(FirstMessage.BYTES_MAX - 1),
                new ReceiveSize(PLAIN.receiveMax() + 1L)
            };
            int xid = 100;
            for (var each : wanted) {
                assertEquals(
                        new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                        ask(test, xid++, each),
                        each::toString);
            }
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(0, 1, 2, 3, 4, 5, 6), Subset.of()),
                    ask(test, 200, wanted));
            // A request with several changes gets one verdict for each.
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(0, 2), Subset.of(1)),
                    ask(test, 300, wanted[0], new ReceiveSize(16 << 10), wanted[1]));
        }
    }

    /** Returns the updates that arrive before the reply to a call. */
    private static List<Operation.Update> updatesUntil(ServerUnderTest test, int xid)
            throws Exception {
        var updates = new ArrayList<Operation.Update>();
        test.client.send(test.call(xid, EchoProgram.nullCall()));
        for (boolean answered = false; !answered; ) {
            var heard = test.hear();
            answered = heard instanceof Version2Header.Msg && heard.xid() == xid;
            if (!answered) {
                // No message of the client has this XID.
                assertTrue(heard.xid() < 0 || heard.xid() > xid, () -> "XID " + heard.xid());
                updates.add(operation(Operation.Update.class, heard));
            }
        }
        return updates;
    }

    /** Goal: memory that a server holds for a client counts against that client's quota. */
    @Test
    @Tag("XCH-4.3-4")
    void aClientWithoutRoomGetsNoLargerReceives() throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .credits(CREDITS)
                        .build()
                        .withProfile(new Version2Profile(PLAIN));
        var usual = PeerLimits.DEFAULT;
        long bytesMax = options.sizes().largestCall() + options.sizes().receiveMemory();
        var limits =
                new PeerLimits(
                        usual.connectionsMax(),
                        usual.callsMax(),
                        bytesMax,
                        usual.sendTimeout(),
                        usual.readTimeout());
        try (var test =
                new ServerUnderTest(
                        new EchoProgram(),
                        options.toBuilder().peerLimits(limits).build(),
                        RECEIVE_BYTES)) {
            test.introduce(new ReceiveSize(RECEIVE_BYTES));
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                    ask(test, 2, new ReceiveSize(16 << 10)));
            assertEquals(List.of(), updatesUntil(test, 10));
        }
    }

    /** Goal: a rejected change does not delay an earlier one. */
    @Test
    @Tag("XCH-4.3-4")
    void aSecondRequestDoesNotDelayTheFirst() throws Exception {
        long wanted = 16 << 10;
        try (var test = known(new EchoProgram())) {
            ask(test, 2, new ReceiveSize(wanted));
            var updates = new ArrayList<Operation.Update>();
            for (int xid = 10; xid < 60; xid++) {
                if (updates.isEmpty()) {
                    assertEquals(
                            new ChangeResponse(Subset.of(), Subset.of(0), Subset.of()),
                            ask(test, 100 + xid, new ReceiveSize(20 << 10)));
                }
                updates.addAll(updatesUntil(test, xid));
            }
            assertEquals(List.of(new Operation.Update(new ReceiveSize(wanted), true)), updates);
        }
    }

    @Test
    @Tag("XCH-3.1-4")
    @Tag("XCH-4.3-4")
    @Tag("XCH-4.4-1")
    void aLargerSizeIsAnnouncedOnceWhenAllReceivesHaveIt() throws Exception {
        long wanted = 16 << 10;
        try (var test = known(new EchoProgram())) {
            assertEquals(
                    new ChangeResponse(Subset.of(), Subset.of(), Subset.of(0)),
                    ask(test, 2, new ReceiveSize(wanted)));
            var updates = new ArrayList<Operation.Update>();
            for (int xid = 10; xid < 60; xid++) {
                updates.addAll(updatesUntil(test, xid));
            }
            assertEquals(List.of(new Operation.Update(new ReceiveSize(wanted), true)), updates);
        }
    }

    /** Keeps the reverse directions to its callers. */
    private static final class Enlisting extends OneVersion {
        private final BlockingQueue<ReverseDirection> enlisted = new LinkedBlockingQueue<>();

        Enlisting() {
            super(EchoProgram.PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            enlisted.add(request.reverse().orElseThrow());
            return AcceptStatus.SUCCESS;
        }
    }

    /** Makes a server call back a client with these characteristics. */
    private static void callsBack(boolean goes, Characteristic... announced) throws Exception {
        var program = new Enlisting();
        try (var test = known(program, announced)) {
            test.client.send(test.call(2, EchoProgram.nullCall()));
            assertInstanceOf(Version2Header.Msg.class, test.hear());
            callsBack(test, program.enlisted.take(), goes);
        }
    }

    private static void callsBack(ServerUnderTest test, ReverseDirection way, boolean goes)
            throws Exception {
        var call = new RpcCall(REVERSE_PROGRAM, 1, 0, _ -> {}, 0);
        try (var back = way.client(new Credential.None());
                var threads = Executors.newSingleThreadExecutor()) {
            if (!goes) {
                var refused =
                        assertThrows(
                                RpcException.TransportRefused.class,
                                () -> back.call(call, TIMEOUT));
                assertTrue(refused.getMessage().contains("serves no calls"));
                // The next message is the reply to this call, so the server sent no call.
                test.client.send(test.call(77, EchoProgram.nullCall()));
                assertEquals(77, test.hear().xid());
                return;
            }
            var calling = threads.submit(() -> back.call(call, TIMEOUT));
            var called = assertInstanceOf(Version2Header.Msg.class, test.hear());
            assertEquals(Direction.CALL, called.direction());
            test.say(
                    new Version2Header.Msg(called.xid(), 1, Direction.REPLY, ChunkLists.EMPTY),
                    words(called.xid(), 1, 0, 0, 0, 0));
            calling.get().close();
        }
    }

    @Test
    @Tag("XCH-3.3-1")
    void aServerCallsNoClientBackThatServesNoCalls() throws Exception {
        callsBack(false, new Characteristic.ReverseSupport(Reverse.NONE));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.SIZE_LIMITED));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.GENERAL));
        callsBack(true, new Characteristic.ReverseSupport(Reverse.UNKNOWN));
        callsBack(true);
    }

    @Test
    @Tag("XCH-3.3-1")
    @Tag("XCH-4.4-2")
    void theReverseSupportOfAClientMayChange() throws Exception {
        var program = new Enlisting();
        try (var test = known(program, new Characteristic.ReverseSupport(Reverse.NONE))) {
            test.client.send(test.call(2, EchoProgram.nullCall()));
            assertInstanceOf(Version2Header.Msg.class, test.hear());
            var way = program.enlisted.take();
            int xid = 50;
            for (var now : List.of(Reverse.NONE, Reverse.GENERAL, Reverse.NONE)) {
                var update = new Operation.Update(new Characteristic.ReverseSupport(now), false);
                test.say(xid++, update);
                // Once the next call is answered, the server has processed the update.
                test.client.send(test.call(xid, EchoProgram.nullCall()));
                assertEquals(xid++, test.hear().xid());
                program.enlisted.take();
                callsBack(test, way, now != Reverse.NONE);
                program.enlisted.clear();
            }
        }
    }

    /** Checks what a client says of the calls that it serves. */
    private static void says(Reverse support, ClientUnderTest test) throws Exception {
        try (test) {
            var exchange = operation(Operation.InitialExchange.class, header(test.hello));
            assertTrue(
                    exchange.start().contains(new Characteristic.ReverseSupport(support)),
                    exchange::toString);
            test.introduce();
            test.client();
        }
    }

    /** Goal: a server learns from a client whether it may call back. */
    @Test
    @Tag("XCH-3.3-1")
    void aClientSaysWhetherItServesCalls() throws Exception {
        var options = RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(PLAIN));
        var served = new RpcDispatcher(List.of(new EchoProgram()));
        says(Reverse.NONE, new ClientUnderTest(options, RECEIVE_BYTES));
        says(Reverse.SIZE_LIMITED, new ClientUnderTest(served, options, RECEIVE_BYTES));
    }

    /**
     * Returns whether a done notice invalidates the handle of the fetched reply.
     *
     * @param own whether the client supports remote invalidation
     * @param readChunks the features that the server announces
     */
    private static boolean invalidates(boolean own, int readChunks) throws Exception {
        var fetched = FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER);
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .remoteInvalidation(own)
                        .build()
                        .withProfile(new Version2Profile(PLAIN.withFetchedReplies(fetched)));
        try (var test = new ClientUnderTest(options, RECEIVE_BYTES)) {
            test.introduce(new ReceiveSize(RECEIVE_BYTES), new ReadChunks(readChunks));
            var calling = test.start(EchoProgram.list(9000, 1));
            int xid = test.hear().xid();
            byte[] reply = test.success(xid, _ -> {});
            var memory = test.server.offer(reply.length, Access.REMOTE_READ);
            MemorySegment.copy(MemorySegment.ofArray(reply), 0, memory.segment(), 0, reply.length);
            var read = new ReadSegment(0, memory.part(0, reply.length));
            var lists = new ChunkLists(List.of(read), List.of(), Optional.empty());
            test.say(new Version2Header.NoMsg(xid, 8, Direction.REPLY, lists), new byte[0]);
            var done = test.server.receive();
            operation(Operation.DoneNotice.class, header(done));
            test.say(header(done).xid(), new Operation.DoneAck(1));
            calling.get().close();
            test.call(EchoProgram.nullCall());
            if (done.completion().invalidated()) {
                assertEquals(memory.handle(), done.completion().invalidatedHandle());
            }
            return done.completion().invalidated();
        }
    }

    @Test
    @Tag("RPR-4.1.4-1")
    @Tag("RPR-4.1.4-2")
    void aClientInvalidatesAHandleOnlyIfBothSidesAcceptThat() throws Exception {
        int always = ReadChunks.EXPOSES | ReadChunks.ACKNOWLEDGES;
        assertTrue(invalidates(true, always | ReadChunks.ACCEPTS_INVALIDATION));
        assertFalse(invalidates(true, always));
        assertFalse(invalidates(false, always | ReadChunks.ACCEPTS_INVALIDATION));
    }

    /** Sends as many calls at a time as there are receives, each as long as a receive. */
    private static void takes(ServerUnderTest test, int first, int length) throws Exception {
        int beside = test.call(first, tell(0)).length;
        for (int xid = first; xid < first + CREDITS; xid++) {
            byte[] longest = test.call(xid, tell(length - beside));
            assertEquals(length, longest.length);
            test.client.send(longest);
        }
        var heard = new HashSet<Integer>();
        while (heard.size() < CREDITS) {
            if (test.hear() instanceof Version2Header.Msg reply) {
                heard.add(reply.xid());
            }
        }
    }

    private static RpcCall tell(int length) {
        return EchoProgram.tell(MemorySegment.ofArray(EchoProgram.pattern(length, 1)));
    }

    @Test
    @Tag("XCH-3.1-1")
    void everyReceiveHasTheAnnouncedSize() throws Exception {
        try (var test = serve(new EchoProgram())) {
            var announced = test.introduce(new ReceiveSize(RECEIVE_BYTES)).start();
            var own = assertInstanceOf(ReceiveSize.class, announced.getFirst());
            takes(test, 10, (int) own.bytes());
            takes(test, 20, (int) own.bytes());
            int wanted = 3 * (int) own.bytes();
            ask(test, 2, new ReceiveSize(wanted));
            // Each call that arrives uses up a receive of the old size.
            var updates = new ArrayList<Operation.Update>();
            for (int xid = 30; updates.isEmpty(); xid++) {
                updates.addAll(updatesUntil(test, xid));
            }
            assertEquals(List.of(new Operation.Update(new ReceiveSize(wanted), true)), updates);
            takes(test, 1000, wanted);
            takes(test, 2000, wanted);
        }
    }

    /**
     * Goal: each direction has its own XIDs and credits. Method: a call to the server has the XID
     * of the server's own call, and another grant.
     */
    @Test
    @Tag("V2-3.2-1")
    @Tag("V2-4.2.2-2")
    void eachDirectionHasItsOwnXidsAndCredits() throws Exception {
        var program = new Enlisting();
        try (var test = known(program);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            test.client.send(test.call(2, EchoProgram.nullCall()));
            assertInstanceOf(Version2Header.Msg.class, test.hear());
            var call = new RpcCall(REVERSE_PROGRAM, 1, 0, _ -> {}, 0);
            try (var back = program.enlisted.take().client(new Credential.None())) {
                var first = threads.submit(() -> back.call(call, TIMEOUT));
                var heard = test.client.receive();
                var called = assertInstanceOf(Version2Header.Msg.class, header(heard));
                assertEquals(Direction.CALL, called.direction());
                assertEquals(0, Version2ByHand.payload(heard).getInt(Integer.BYTES));
                // A grant for one direction grants nothing in the other.
                for (int i = 0; i < 3; i++) {
                    test.say(
                            new Version2Header.Msg(
                                    called.xid(), 1000, Direction.CALL, ChunkLists.EMPTY),
                            test.rpc(called.xid(), EchoProgram.nullCall()));
                    var answer = test.client.receive();
                    var reply = assertInstanceOf(Version2Header.Msg.class, header(answer));
                    assertEquals(called.xid(), reply.xid());
                    assertEquals(Direction.REPLY, reply.direction());
                    assertEquals(1, Version2ByHand.payload(answer).getInt(Integer.BYTES));
                    assertEquals(CREDITS, reply.credits());
                }
                assertFalse(first.isDone());
                test.say(
                        new Version2Header.Msg(called.xid(), 1, Direction.REPLY, ChunkLists.EMPTY),
                        words(called.xid(), 1, 0, 0, 0, 0));
                first.get().close();
            }
        }
    }
}
