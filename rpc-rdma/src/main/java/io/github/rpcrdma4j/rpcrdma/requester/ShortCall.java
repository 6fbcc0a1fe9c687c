package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A call without chunks in either direction. The object is reused, together with its memory and its
 * answer.
 *
 * <p>Tests: {@code CallsOnTheWireTest}, {@code ExamplesAtRequesterTest}.
 */
public final class ShortCall extends PendingCall {
    private final View replied = new View();
    private Answer.Reply reply;

    /** The receive that holds a reply, kept for the next reply; null if there is none. */
    private SegmentPool.Lease receive;

    /**
     * A slice from the start of some memory, which is replaced only if the memory or the length
     * changes.
     */
    private static final class View {
        private MemorySegment memory = MemorySegment.NULL;
        private MemorySegment slice = MemorySegment.NULL;

        /** Sets the memory and the length, and returns whether the slice was replaced. */
        boolean set(MemorySegment whole, long length) {
            if (whole == memory && slice.byteSize() == length) {
                return false;
            }
            memory = whole;
            slice = whole.asSlice(0, length);
            return true;
        }

        void forget() {
            memory = MemorySegment.NULL;
            slice = MemorySegment.NULL;
        }
    }

    ShortCall(CallMemory memory) {
        super(0, memory);
    }

    /**
     * Returns whether a written message is a short call.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param plain decides which calls without chunks are short
     */
    public static boolean fits(
            XdrWriter message,
            RpcCall call,
            int replyVerifierMax,
            ConnectionParameters parameters,
            PlainMessage.Rule plain) {
        var targets = call.resultTargets();
        boolean hasBulkData = !message.bulkItems().isEmpty() || !targets.isEmpty();
        return plain.includes(hasBulkData, message.position())
                && CallPlan.isShort(
                        call.resultsMax() + CallPlan.paddedBytes(targets),
                        replyVerifierMax,
                        message.position(),
                        parameters);
    }

    /** Turns this object into a call with a written message and this XID. */
    ShortCall begin(int newXid) {
        memory().message().inlineBulkItems();
        restart(newXid);
        return this;
    }

    @Override
    ChunkLists offered() {
        return ChunkLists.EMPTY;
    }

    @Override
    MemorySegment replyChunk() {
        return MemorySegment.NULL;
    }

    @Override
    public List<MemorySegment> resultTargets() {
        return List.of();
    }

    @Override
    protected void send(Endpoint endpoint, Counters counters, int credits) {
        long length = memory().message().reducedLength();
        PlainMessage.encode(
                xid(), credits, memory().reserveHeader(PlainMessage.HEADER_BYTES, length));
        counters.count(Counter.INLINE_CALL_BYTES, length);
        endpoint.post(memory().sending());
    }

    /**
     * Answers the call with a copy of a short reply, in the memory of the sent message.
     *
     * @return false if its Send has not ended, or the memory is too short
     */
    boolean answerWithCopy(MemorySegment buffer, long from, long length) {
        var target = memory().message().memory();
        if (memory().isPosted() || length > target.byteSize()) {
            return false;
        }
        MemorySegment.copy(buffer, from, target, 0, length);
        if (replied.set(target, length)) {
            reply = new Answer.Reply(replied.slice, Placements.NONE);
        }
        return true;
    }

    /**
     * Answers the call with a reply in its receive, which the call owns from now on.
     *
     * @return the previous receive of the call, to be posted again; null if it had none
     */
    SegmentPool.Lease answerWithReceive(SegmentPool.Lease buffer, long from, long length) {
        var before = receive;
        receive = buffer;
        reply = new Answer.Reply(buffer.segment().asSlice(from, length), Placements.NONE);
        // The next copied reply needs another slice.
        replied.forget();
        return before;
    }

    /** Returns the reply as an answer. */
    Answer shortAnswer() {
        return reply;
    }

    /** Returns whether the call is small enough to keep. */
    boolean isSmall() {
        return receive == null || receive.whole().byteSize() <= PlainMessage.SMALL_BYTES;
    }

    /** Frees the memory of the answer. The call is not used again. */
    void dispose() {
        if (receive != null) {
            receive.close();
            receive = null;
        }
    }
}
