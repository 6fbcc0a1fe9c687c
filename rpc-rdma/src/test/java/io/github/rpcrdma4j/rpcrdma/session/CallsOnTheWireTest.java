package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

    private final ByHand hands = new ByHand(4096);
    private final Counters counters = new Counters();

    /** The number of bound windows at each delivery of an answer to its caller. */
    private final List<Integer> exposedWhenTold = new ArrayList<>();

    private final CreditWindow credits = new CreditWindow(CREDITS);
    private final Requester requester = new Requester(hands.endpoint, counters, credits);

    @BeforeEach
    void connect() throws Exception {
        hands.connect(
                completion -> {
                    hands.endpoint.completed(completion);
                    tell();
                });
    }

    private void tell() {
        while (requester.takeAnswered() != null) {
            exposedWhenTold.add(hands.windows());
        }
    }

    private PendingCall start(int xid, RpcCall call, long segmentMax, ConnectionMemory memory) {
        var pending =
                LaidCalls.lay(xid, call, new Eligibility(2, 2), PARAMETERS, memory, segmentMax);
        requester.start(pending);
        hands.world.settle();
        return pending;
    }

    private PendingCall start(int xid, RpcCall call) {
        return start(xid, call, WHOLE, hands.endpoint.memory());
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
        hands.say(new Version1Header.Msg(xid, credits, ChunkLists.EMPTY), reply(xid));
    }

    private static ChunkLists chunks(ByHand.Heard heard) {
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
        assertEquals(2, hands.heard.size());
        int told = exposedWhenTold.size();
        int leased = hands.pool.leased();
        for (boolean sent : new boolean[] {true, false}) {
            var probe =
                    LaidCalls.lay(
                            9,
                            new RpcCall(7, 1, 0, _ -> {}, 8),
                            Eligibility.NONE,
                            PARAMETERS,
                            hands.endpoint.memory(),
                            WHOLE);
            assertEquals(sent, requester.probe(probe));
        }
        hands.world.settle();
        assertEquals(9, hands.heard.getLast().header().xid());
        answer(9, 2);
        assertEquals(told, exposedWhenTold.size());
        assertEquals(leased, hands.pool.leased());
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
        assertEquals(1, hands.heard.size());
        answer(1, 3);
        assertEquals(1 + 3, hands.heard.size());
        answer(2, 1);
        answer(3, 1);
        assertEquals(1 + 3, hands.heard.size());
        answer(4, 1);
        assertEquals(1 + 3 + 1, hands.heard.size());
    }

    @Test
    @Tag("5666-6-1")
    @Tag("8166-3.3.1-8")
    void keepsAReceivePostedForEveryReply() {
        assertEquals(CREDITS, hands.endpoint.postedReceives());
        for (int xid = 1; xid < 20; xid++) {
            start(xid, nothing());
            answer(xid, CREDITS);
            assertEquals(CREDITS, hands.endpoint.postedReceives());
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
        var heard = hands.only();
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
                hands.endpoint.memory());
        var chunks = ReadChunk.of(chunks(hands.only()).readList());
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
        var chunks = chunks(hands.only()).writeList();
        assertEquals(2, chunks.size());
        assertEquals(UNPADDED, chunks.get(0).size());
        assertEquals(1, chunks.get(1).size());
    }

    @Test
    @Tag("8166-3.5.3-2")
    @Tag("8166-4.2.4-1")
    @Tag("5666-5.1-1")
    void movesAllOfALongCallAtPositionZero() {
        start(1, call(out -> out.opaque(new byte[3000])), 700, hands.endpoint.memory());
        var heard = hands.only();
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
    void answersNothingWhateverComes() {
        int xid = 1;
        for (var example : Golden.messages()) {
            hands.say(Golden.bytes(example));
            assertEquals(xid - 1, hands.heard.size(), example);
            start(xid, nothing());
            chunks(hands.heard.getLast());
            answer(xid++, 1);
        }
        assertEquals(Golden.messages().size(), counters.value(Counter.DISCARDED));
        assertEquals(xid - 1, counters.value(Counter.REPLIES));
        assertEquals(QueuePair.State.READY, hands.state());
    }

    @Test
    @Tag("8167-4.1-3")
    @Tag("8167-4.1-4")
    @Tag("8166-4.5-6")
    void takesGrantsFromRepliesOnly() {
        var refused = start(1, nothing());
        // The credit field of a call in the other direction requests credits, and grants none.
        hands.say(new Version1Header.Msg(1, 7, ChunkLists.EMPTY), new byte[40]);
        hands.say(new Version1Header.ChunkError(1, 1, 7), NOTHING);
        assertInstanceOf(PendingCall.Answer.Failure.class, refused.answer());
        for (int xid = 2; xid < 6; xid++) {
            start(xid, nothing());
        }
        assertEquals(2, hands.heard.size());
    }

    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-4.4.1-2")
    @Tag("8166-8.1.3-1")
    @Tag("8166-3.4.5.1-1")
    @Tag("8166-8.1.4-2")
    @Tag("5666-3.5-2")
    @Tag("5666-7-1")
    void shutsMemoryBeforeTheCallerIsTold() {
        var both = call(out -> out.bulk(memory(UNPADDED)), memory(UNPADDED));
        start(1, both);
        assertEquals(2, hands.windows());
        answer(1, CREDITS);
        var cancelled = start(2, both);
        requester.cancel(cancelled, new RpcException.TimedOut("by the test"));
        tell();
        start(3, both);
        hands.say(new Version1Header.ChunkError(3, 1, CREDITS), NOTHING);
        start(4, both);
        hands.endpoint.close("by the test");
        tell();
        assertEquals(List.of(0, 0, 0, 0), exposedWhenTold);
    }

    private static int handle(ByHand.Heard heard) {
        return chunks(heard).writeList().getFirst().segments().getFirst().handle();
    }

    private void answerInvalidating(int xid, int handle) {
        var header = new Version1Header.Msg(xid, CREDITS, ChunkLists.EMPTY);
        hands.say(ByHand.message(header, reply(xid)), OptionalInt.of(handle));
    }

    @Test
    @Tag("8797-4.1-2")
    @Tag("8797-4.1-4")
    @Tag("XCH-3.2-6")
    void takesTheInvalidationOfItsOwnHandlesOnly() {
        var both = call(out -> out.bulk(memory(UNPADDED)), memory(UNPADDED));
        var own = start(1, both);
        answerInvalidating(1, handle(hands.only()));
        assertInstanceOf(PendingCall.Answer.Reply.class, own.answer());
        assertEquals(0, hands.windows());
        assertEquals(1, counters.value(Counter.REMOTE_INVALIDATIONS));
        start(2, both);
        start(3, both);
        answerInvalidating(2, handle(hands.heard.get(2)));
        assertTrue(hands.endpoint.isClosed());
        assertEquals(QueuePair.State.ERROR, hands.state());
    }

    /** A window that cannot be invalidated. */
    private record StubbornWindow(MemoryWindow window) implements MemoryWindow {
        @Override
        public int handle() {
            return window.handle();
        }

        @Override
        public long address() {
            return window.address();
        }

        @Override
        public long length() {
            return window.length();
        }

        @Override
        public boolean isValid() {
            return window.isValid();
        }

        @Override
        public void invalidate() {
            throw new IllegalStateException("the adapter does not answer");
        }
    }

    @Test
    @Tag("8166-4.5.4-2")
    void closesTheConnectionWhenMemoryCannotBeInvalidated() {
        var stubborn = new WatchedPair(hands.queuePair(), _ -> {}, StubbornWindow::new);
        var call =
                start(
                        1,
                        call(_ -> {}, memory(UNPADDED)),
                        WHOLE,
                        new ConnectionMemory(stubborn, hands.domain, hands.pool));
        var other = start(2, nothing());
        answer(1, CREDITS);
        assertEquals(QueuePair.State.ERROR, hands.state());
        assertTrue(hands.endpoint.isClosed());
        assertInstanceOf(PendingCall.Answer.class, call.answer());
        assertInstanceOf(PendingCall.Answer.Failure.class, other.answer());
        assertEquals(0, requester.unanswered());
        assertEquals(0, credits.outstanding());
    }
}
