package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.Guard;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.QueuePair;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: calls in both directions share a connection correctly, seen by the peer. */
class ReverseOnTheWireTest {
    private static final int CREDITS = 8;
    private static final int REVERSE_CREDITS = 2;
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1024, 1024, true);
    private static final int PROGRAM_AT = 40;
    private static final int PROG_UNAVAIL = 1;
    private static final int XID = 0x0a0b0c0d;
    private static final byte[] NOTHING = {};

    private final ManualConnection manual = new ManualConnection(4096);
    private final Counters counters = new Counters();
    private final RpcDispatcher dispatcher = new RpcDispatcher(List.of(new CallbackProgram()));
    private final List<ServedCall> running = new ArrayList<>();
    private CreditWindow window;
    private Requester requester;
    private Responder responder;

    private Requester requester(int credits) {
        window = new CreditWindow(credits);
        return new Requester(manual.endpoint, counters, window);
    }

    private Responder responder(
            int credits, ConnectionParameters parameters, Consumer<ServedCall> runner) {
        manual.endpoint.afterEach(() -> SimulatedEnd.run(responder, runner));
        return new Responder(
                manual.endpoint,
                counters,
                parameters,
                RpcRdmaOptions.DEFAULT.toBuilder().credits(credits).build().bounds(),
                ConnectionQuota.UNLIMITED,
                Guard.NONE);
    }

    /** Connects; our end is a client that serves calls of its server. */
    private void connectAsClient(Consumer<ServedCall> runner) throws Exception {
        requester = requester(CREDITS);
        responder = responder(REVERSE_CREDITS, PARAMETERS.reversed(), runner);
        manual.connect(manual.endpoint::completed);
    }

    /** Connects; our end is a server that calls its client. */
    private void connectAsServer() throws Exception {
        responder = responder(CREDITS, PARAMETERS, this::run);
        requester = requester(CREDITS);
        manual.connect(manual.endpoint::completed);
    }

    private void run(ServedCall call) {
        try {
            responder.ended(
                    call,
                    call.execution()
                            .run(
                                    dispatcher,
                                    new Bindings(List.of()),
                                    SimulatedEnd.NOWHERE,
                                    Optional.empty(),
                                    () -> {}));
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private PendingCall start(int xid, ConnectionParameters parameters) {
        return start(xid, new RpcCall(CallbackProgram.PROGRAM, 1, 0, _ -> {}, 0), parameters);
    }

    private PendingCall start(int xid, RpcCall call, ConnectionParameters parameters) {
        var memory = manual.endpoint.memory();
        var pending = PlannedCalls.plan(xid, call, Eligibility.NONE, parameters, memory, 1 << 20);
        requester.start(pending);
        manual.world.settle();
        return pending;
    }

    private void answer(int xid, int credits) {
        manual.send(
                new Version1Header.Msg(xid, credits, ChunkLists.EMPTY),
                ByteBuffer.allocate(24).putInt(xid).putInt(1).array());
    }

    private void callReverse(int xid) {
        byte[] message = Golden.bytes("EX-25");
        ByteBuffer.wrap(message).putInt(0, xid).putInt(28, xid);
        manual.send(message);
    }

    private void isRefusedForItsChunks(byte[] message) {
        manual.received.clear();
        manual.send(message);
        byte[] error = Golden.bytes("EX-20");
        ByteBuffer.wrap(error).putInt(8, REVERSE_CREDITS);
        assertArrayEquals(error, manual.onlyMessage().bytes());
    }

    @Test
    @Tag("8167-5.2-1")
    @Tag("8167-4.1-2")
    void answersACallOfTheOtherDirection() throws Exception {
        connectAsClient(this::run);
        manual.send(Golden.bytes("EX-25"));
        assertArrayEquals(Golden.bytes("EX-26"), manual.onlyMessage().bytes());
    }

    @Test
    @Tag("8167-5.1-1")
    void callsInTheReverseDirection() throws Exception {
        connectAsServer();
        var call = start(XID, PARAMETERS.reversed());
        assertArrayEquals(Golden.bytes("EX-25"), manual.onlyMessage().bytes());
        manual.send(Golden.bytes("EX-26"));
        assertInstanceOf(PendingCall.Answer.Reply.class, call.answer());
    }

    @Test
    @Tag("8167-5.3-2")
    void refusesChunksInTheReverseDirection() throws Exception {
        connectAsClient(this::run);
        isRefusedForItsChunks(Golden.bytes("EX-27"));
        var read = new ReadSegment(0, new Segment(1, 400, 0));
        var lists = new ChunkLists(List.of(read), List.of(), Optional.empty());
        isRefusedForItsChunks(
                ManualConnection.message(new Version1Header.NoMsg(XID, CREDITS, lists), NOTHING));
        manual.received.clear();
        manual.send(Golden.bytes("EX-25"));
        assertArrayEquals(Golden.bytes("EX-26"), manual.onlyMessage().bytes());
    }

    @Test
    void saysWhichProgramsItDoesNotServe() throws Exception {
        connectAsClient(this::run);
        byte[] message = Golden.bytes("EX-25");
        ByteBuffer.wrap(message).putInt(PROGRAM_AT, CallbackProgram.PROGRAM + 1);
        manual.send(message);
        byte[] reply = Golden.bytes("EX-26");
        ByteBuffer.wrap(reply).putInt(reply.length - Integer.BYTES, PROG_UNAVAIL);
        assertArrayEquals(reply, manual.onlyMessage().bytes());
    }

    @Test
    @Tag("8167-2.4-1")
    @Tag("8167-2.4-2")
    @Tag("8167-4.1-1")
    @Tag("8167-4.1-3")
    void distinguishesCallsWithOneXid() throws Exception {
        connectAsClient(running::add);
        var forward = start(XID, PARAMETERS);
        manual.received.clear();
        manual.send(Golden.bytes("EX-25"));
        assertNull(forward.answer());
        // The credits that the reverse call requests are no grant: one call may be outstanding.
        start(XID + 1, PARAMETERS);
        assertEquals(List.of(), manual.received);
        answer(XID, 1);
        assertInstanceOf(PendingCall.Answer.Reply.class, forward.answer());
        assertEquals(1, running.size());
        manual.received.clear();
        running.forEach(this::run);
        manual.world.settle();
        assertArrayEquals(Golden.bytes("EX-26"), manual.onlyMessage().bytes());
    }

    @Test
    @Tag("8167-4.1-1")
    void doesNotTakeCreditsOfOneDirectionForTheOther() throws Exception {
        connectAsServer();
        for (int xid = 1; xid <= 4; xid++) {
            start(xid, PARAMETERS.reversed());
        }
        assertEquals(1, manual.received.size());
        for (int xid = 1; xid <= CREDITS; xid++) {
            callReverse(xid);
        }
        assertEquals(1 + CREDITS, manual.received.size());
        answer(1, 2);
        assertEquals(1 + CREDITS + 2, manual.received.size());
    }

    @Test
    @Tag("8167-4.3.1-1")
    @Tag("8167-4.3.2-1")
    void postsReceivesForBothDirections() throws Exception {
        connectAsClient(running::add);
        assertEquals(CREDITS + REVERSE_CREDITS, manual.endpoint.postedReceives());
        callReverse(1);
        start(7, PARAMETERS);
        answer(7, 1);
        // The running call holds a receive until it is answered. The receive of the reply is
        // posted again.
        assertEquals(CREDITS + REVERSE_CREDITS - 1, manual.endpoint.postedReceives());
        running.forEach(this::run);
        manual.world.settle();
        assertEquals(CREDITS + REVERSE_CREDITS, manual.endpoint.postedReceives());
    }

    /** An idle side keeps fewer receives than the calls that it may have. */
    @Test
    @Tag("8167-4.3.2-1")
    void postsAReceiveForEachOutstandingReverseCall() throws Exception {
        int many = 12;
        responder = responder(CREDITS, PARAMETERS, this::run);
        requester = requester(many);
        manual.connect(manual.endpoint::completed);
        start(XID, PARAMETERS.reversed());
        answer(XID, many);
        for (int outstanding = 1; outstanding <= many; outstanding++) {
            start(outstanding, PARAMETERS.reversed());
            assertEquals(CREDITS + Math.max(outstanding, 8), manual.endpoint.postedReceives());
        }
    }

    @Test
    void discardsRepliesWithoutACall() throws Exception {
        connectAsClient(this::run);
        answer(5, 1);
        manual.send(new Version1Header.ChunkError(5, 1, 1), NOTHING);
        assertEquals(2, counters.value(Counter.DISCARDED));
        assertEquals(List.of(), manual.received);
        assertEquals(QueuePair.State.READY, manual.state());
    }

    @Test
    void leavesWhoMakesMoreCallsThanWereGranted() throws Exception {
        connectAsClient(running::add);
        var forward = start(XID, PARAMETERS);
        for (int xid = 1; xid <= REVERSE_CREDITS; xid++) {
            callReverse(xid);
        }
        assertNull(forward.answer());
        callReverse(REVERSE_CREDITS + 1);
        assertTrue(manual.endpoint.isClosed());
        var failure = assertInstanceOf(PendingCall.Answer.Failure.class, forward.answer());
        assertInstanceOf(RpcException.ConnectionLost.class, failure.reason());
        forward.release();
        running.forEach(this::run);
        assertEquals(0, responder.liveCalls());
        assertEquals(0, window.outstanding());
        assertEquals(0, manual.pool.leased());
    }

    @Test
    @Tag("8167-5.3-3")
    @Tag("8167-7-1")
    void refusesWhatDoesNotFitInline() throws Exception {
        connectAsServer();
        int room = 1024 - 28 - 40 - 4;
        var fits = new RpcCall(CallbackProgram.PROGRAM, 1, 0, out -> out.bulk(bytes(room)), 0);
        start(1, fits, PARAMETERS.reversed());
        assertEquals(1024, manual.onlyMessage().bytes().length);
        var longer =
                new RpcCall(CallbackProgram.PROGRAM, 1, 0, out -> out.bulk(bytes(room + 1)), 0);
        assertThrows(IllegalArgumentException.class, () -> start(2, longer, PARAMETERS.reversed()));
        var longReply = new RpcCall(CallbackProgram.PROGRAM, 1, 0, _ -> {}, 1024);
        assertThrows(
                IllegalArgumentException.class, () -> start(3, longReply, PARAMETERS.reversed()));
        assertEquals(1, manual.received.size());
    }

    private static MemorySegment bytes(int length) {
        return Arena.ofAuto().allocate(length);
    }
}
