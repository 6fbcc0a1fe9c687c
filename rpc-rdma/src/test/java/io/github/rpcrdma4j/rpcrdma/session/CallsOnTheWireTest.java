package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: a requester sends, exposes and accepts only what the RFCs allow, seen by its peer. */
class CallsOnTheWireTest {
    private static final int CREDITS = 8;
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1024, 1024, true);
    private static final long WHOLE = 1 << 20;
    private static final int UNPADDED = 4093;
    private static final byte[] NOTHING = {};

    private final ManualConnection manual = new ManualConnection(4096);
    private final Counters counters = new Counters();

    /** The number of bound windows at each delivery of an answer to its caller. */
    private final List<Integer> exposedWhenTold = new ArrayList<>();

    private final CreditWindow credits = new CreditWindow(CREDITS);
    private final Requester requester = new Requester(manual.endpoint, counters, credits);

    @BeforeEach
    void connect() throws Exception {
        manual.connect(
                completion -> {
                    manual.endpoint.completed(completion);
                    tell();
                });
    }

    private void tell() {
        while (requester.takeAnswered() != null) {
            exposedWhenTold.add(manual.windows());
        }
    }

    private PendingCall start(int xid, RpcCall call, long segmentMax, ConnectionMemory memory) {
        var pending =
                PlannedCalls.plan(xid, call, new Eligibility(2, 2), PARAMETERS, memory, segmentMax);
        requester.start(pending);
        manual.world.settle();
        return pending;
    }

    private PendingCall start(int xid, RpcCall call) {
        return start(xid, call, WHOLE, manual.endpoint.memory());
    }

    private static RpcCall call(Consumer<XdrWriter> arguments, MemorySegment... targets) {
        return new RpcCall(7, 1, 3, arguments, 8, List.of(targets));
    }

    private static RpcCall nothing() {
        return call(_ -> {});
    }

    private static MemorySegment memory(int length) {
        return Arena.ofAuto().allocate(length);
    }

    /** Returns an accepted reply without results. */
    private static byte[] reply(int xid) {
        return ByteBuffer.allocate(24).putInt(xid).putInt(1).array();
    }

    private void answer(int xid, int credits) {
        manual.send(new Version1Header.Msg(xid, credits, ChunkLists.EMPTY), reply(xid));
    }

    private static ChunkLists chunks(ManualConnection.ReceivedMessage heard) {
        return switch (heard.header()) {
            case Version1Header.Msg(_, _, var chunks) -> chunks;
            case Version1Header.NoMsg(_, _, var chunks) -> chunks;
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    throw new AssertionError("a requester sent " + heard.header());
        };
    }

    /** Goal: a probe takes no credit from callers, and leaves no memory leased. */
    @Test
    void probesByTheCreditThatIsKeptBack() {
        credits.reserve();
        start(1, nothing());
        answer(1, 2);
        start(2, nothing());
        start(3, nothing());
        assertEquals(2, manual.received.size());
        int told = exposedWhenTold.size();
        int leased = manual.pool.leased();
        assertFalse(requester.sendNull());
        requester.useNullCalls(
                () ->
                        Optional.of(
                                PlannedCalls.plan(
                                        9,
                                        new RpcCall(7, 1, 0, _ -> {}, 8),
                                        Eligibility.NONE,
                                        PARAMETERS,
                                        manual.endpoint.memory(),
                                        WHOLE)));
        assertTrue(requester.sendNull());
        assertFalse(requester.sendNull());
        manual.world.settle();
        assertEquals(9, manual.received.getLast().header().xid());
        answer(9, 2);
        assertEquals(told, exposedWhenTold.size());
        assertEquals(leased, manual.pool.leased());
        assertEquals(2, requester.messagesReceived());
        assertEquals(2, requester.unanswered());
    }

    @Test
    @Tag("5666-6.1-2")
    @Tag("8166-3.3.3-1")
    @Tag("8166-3.3.1-2")
    @Tag("5666-3.3-4")
    void waitsForTheFirstReplyBeforeItSendsMore() {
        for (int xid = 1; xid <= 6; xid++) {
            start(xid, nothing());
        }
        assertEquals(1, manual.received.size());
        answer(1, 3);
        assertEquals(1 + 3, manual.received.size());
        answer(2, 1);
        answer(3, 1);
        assertEquals(1 + 3, manual.received.size());
        answer(4, 1);
        assertEquals(1 + 3 + 1, manual.received.size());
    }

    @Test
    @Tag("5666-6-1")
    @Tag("8166-3.3.1-8")
    void keepsAReceivePostedForEveryReply() {
        assertEquals(CREDITS, manual.endpoint.postedReceives());
        for (int xid = 1; xid < 20; xid++) {
            start(xid, nothing());
            answer(xid, CREDITS);
            assertEquals(CREDITS, manual.endpoint.postedReceives());
        }
    }

    @Test
    @Tag("5666-4.1-1")
    @Tag("5666-4.1-8")
    @Tag("8166-4.2.1-1")
    @Tag("8166-4.3.1-1")
    @Tag("8166-4.3.2-1")
    @Tag("8166-3.2-1")
    @Tag("8166-3.3.1-1")
    @Tag("5666-3-1")
    @Tag("5666-3.1-1")
    void sendsAShortCallBehindAnEmptyHeader() {
        start(0x12345678, nothing());
        var heard = manual.onlyMessage();
        assertEquals(new Version1Header.Msg(0x12345678, CREDITS, ChunkLists.EMPTY), heard.header());
        var message = ByteBuffer.wrap(heard.payload().toArray(ValueLayout.JAVA_BYTE));
        assertEquals(0x12345678, message.getInt());
        assertEquals(40, heard.payload().byteSize());
    }

    @Test
    @Tag("5666-3.7-3")
    @Tag("8166-3.4.4.4-1")
    @Tag("8166-3.4.5-2")
    @Tag("8166-3.4.5-3")
    @Tag("8166-3.4.5.2-1")
    @Tag("8166-3.4.5.2-3")
    @Tag("8166-3.4.4-1")
    void offersEachArgumentAsAChunkWithoutPadding() {
        start(
                1,
                call(out -> out.uint32(5).bulk(memory(UNPADDED)).uint32(6).bulk(memory(2001))),
                1500,
                manual.endpoint.memory());
        var chunks = ReadChunk.of(chunks(manual.onlyMessage()).readList());
        assertEquals(2, chunks.size());
        assertEquals(48, chunks.get(0).position());
        assertEquals(UNPADDED, chunks.get(0).size());
        assertEquals(3, chunks.get(0).segments().size());
        assertEquals(48 + UNPADDED + 3 + 8, chunks.get(1).position());
        assertEquals(2001, chunks.get(1).size());
        assertEquals(2, chunks.get(1).segments().size());
    }

    @Test
    @Tag("8166-3.4.6-1")
    @Tag("8166-3.4.6.2-1")
    @Tag("8166-4.3.2.1-2")
    void offersAllMemoryOfAResultAndNoneForPadding() {
        start(1, call(_ -> {}, memory(UNPADDED), memory(1)));
        var chunks = chunks(manual.onlyMessage()).writeList();
        assertEquals(2, chunks.size());
        assertEquals(UNPADDED, chunks.get(0).size());
        assertEquals(1, chunks.get(1).size());
    }

    @Test
    @Tag("8166-3.5.3-2")
    @Tag("8166-4.2.4-1")
    @Tag("5666-5.1-1")
    void movesAllOfALongCallAtPositionZero() {
        start(1, call(out -> out.opaque(new byte[3000])), 700, manual.endpoint.memory());
        var heard = manual.onlyMessage();
        assertInstanceOf(Version1Header.NoMsg.class, heard.header());
        assertEquals(0, heard.payload().byteSize());
        var chunk = ReadChunk.of(chunks(heard).readList());
        assertEquals(1, chunk.size());
        assertEquals(0, chunk.getFirst().position());
        assertEquals(40 + 4 + 3000, chunk.getFirst().size());
        assertEquals(5, chunk.getFirst().segments().size());
    }

    /**
     * Goal: a requester sends only calls, whichever message it receives. Method: every worked
     * example, with a call after each.
     */
    @Test
    @Tag("8166-4.2.4-2")
    @Tag("8166-4.5-3")
    @Tag("8166-4.6.1-1")
    @Tag("8166-4.6.1-3")
    @Tag("8166-4.6.2-1")
    @Tag("8166-4.6.2-2")
    void answersNoArrivingMessage() {
        int xid = 1;
        for (var example : Golden.messages()) {
            manual.send(Golden.bytes(example));
            assertEquals(xid - 1, manual.received.size(), example);
            start(xid, nothing());
            chunks(manual.received.getLast());
            answer(xid++, 1);
        }
        assertEquals(Golden.messages().size(), counters.value(Counter.DISCARDED));
        assertEquals(xid - 1, counters.value(Counter.REPLIES));
        assertEquals(QueuePair.State.READY, manual.state());
    }

    @Test
    @Tag("8167-4.1-3")
    @Tag("8167-4.1-4")
    @Tag("8166-4.5-6")
    void takesGrantsFromRepliesOnly() {
        var refused = start(1, nothing());
        // The credit field of a call in the other direction requests credits, and grants none.
        manual.send(new Version1Header.Msg(1, 7, ChunkLists.EMPTY), new byte[40]);
        manual.send(new Version1Header.ChunkError(1, 1, 7), NOTHING);
        assertInstanceOf(PendingCall.Answer.Failure.class, refused.answer());
        for (int xid = 2; xid < 6; xid++) {
            start(xid, nothing());
        }
        assertEquals(2, manual.received.size());
    }

    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-4.4.1-2")
    @Tag("8166-8.1.3-1")
    @Tag("8166-3.4.5.1-1")
    @Tag("8166-8.1.4-2")
    @Tag("5666-3.5-2")
    @Tag("5666-7-1")
    void fencesMemoryBeforeTheCallerIsNotified() {
        var both = call(out -> out.bulk(memory(UNPADDED)), memory(UNPADDED));
        start(1, both);
        assertEquals(2, manual.windows());
        answer(1, CREDITS);
        var cancelled = start(2, both);
        requester.cancel(cancelled, new RpcException.TimedOut("by the test"));
        tell();
        start(3, both);
        manual.send(new Version1Header.ChunkError(3, 1, CREDITS), NOTHING);
        start(4, both);
        manual.endpoint.close("by the test");
        tell();
        assertEquals(List.of(0, 0, 0, 0), exposedWhenTold);
    }

    private static int handle(ManualConnection.ReceivedMessage heard) {
        return chunks(heard).writeList().getFirst().segments().getFirst().handle();
    }

    private void answerInvalidating(int xid, int handle) {
        var header = new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY);
        manual.send(ManualConnection.message(header, reply(xid)), OptionalInt.of(handle));
    }

    @Test
    @Tag("8797-4.1-2")
    @Tag("8797-4.1-4")
    @Tag("XCH-3.2-6")
    void takesTheInvalidationOfItsOwnHandlesOnly() {
        var both = call(out -> out.bulk(memory(UNPADDED)), memory(UNPADDED));
        var own = start(1, both);
        answerInvalidating(1, handle(manual.onlyMessage()));
        assertInstanceOf(PendingCall.Answer.Reply.class, own.answer());
        assertEquals(0, manual.windows());
        assertEquals(1, counters.value(Counter.REMOTE_INVALIDATIONS));
        start(2, both);
        start(3, both);
        answerInvalidating(2, handle(manual.received.get(2)));
        assertTrue(manual.endpoint.isClosed());
        assertEquals(QueuePair.State.ERROR, manual.state());
    }

    @Test
    @Tag("8166-4.5.4-2")
    void closesTheConnectionWhenMemoryCannotBeInvalidated() {
        var stubborn = new WatchedPair(manual.queuePair(), _ -> {}, StubbornWindow::new);
        var call =
                start(
                        1,
                        call(_ -> {}, memory(UNPADDED)),
                        WHOLE,
                        new ConnectionMemory(stubborn, manual.domain, manual.pool));
        var other = start(2, nothing());
        answer(1, CREDITS);
        assertEquals(QueuePair.State.ERROR, manual.state());
        assertTrue(manual.endpoint.isClosed());
        assertInstanceOf(PendingCall.Answer.class, call.answer());
        assertInstanceOf(PendingCall.Answer.Failure.class, other.answer());
        assertEquals(0, requester.unanswered());
        assertEquals(0, credits.outstanding());
    }
}
