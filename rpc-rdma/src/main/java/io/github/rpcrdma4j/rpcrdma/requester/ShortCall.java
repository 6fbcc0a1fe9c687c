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
 * A call without chunks in either direction. It is used again and again, together with its memory,
 * and with its answer.
 */
public final class ShortCall extends PendingCall {
    private final View replied = new View();
    private Answer.Reply reply;

    /** The receive that a reply was left in, kept for the next; null if there is none. */
    private SegmentPool.Lease receive;

    /** A part of memory from its start on, made anew only where memory or length are others. */
    private static final class View {
        private MemorySegment memory = MemorySegment.NULL;
        private MemorySegment part = MemorySegment.NULL;

        /** Whether it is another view than before. */
        boolean set(MemorySegment whole, long length) {
            if (whole == memory && part.byteSize() == length) {
                return false;
            }
            memory = whole;
            part = whole.asSlice(0, length);
            return true;
        }

        void forget() {
            memory = MemorySegment.NULL;
            part = MemorySegment.NULL;
        }
    }

    ShortCall(CallMemory memory) {
        super(0, memory);
    }

    /**
     * Whether what was written is a short call.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param plain which calls without chunks are short
     */
    public static boolean fits(
            XdrWriter message,
            RpcCall call,
            int replyVerifierMax,
            ConnectionParameters parameters,
            PlainMessage.Which plain) {
        var targets = call.resultTargets();
        boolean hasBulkData = !message.bulkItems().isEmpty() || !targets.isEmpty();
        return plain.takes(hasBulkData, message.position())
                && CallPlan.isShort(
                        call.resultsMax() + CallPlan.paddedBytes(targets),
                        replyVerifierMax,
                        message.position(),
                        parameters);
    }

    /** From now on it is a call whose message was written, with that XID. */
    ShortCall begin(int newXid) {
        memory().message().takeIn();
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
        long length = memory().message().mark();
        PlainMessage.encode(xid(), credits, memory().frame(PlainMessage.HEADER_BYTES, length));
        counters.count(Counter.INLINE_CALL_BYTES, length);
        endpoint.post(memory().sending());
    }

    /**
     * Answers it with a copy of a short reply, in the memory that its message left.
     *
     * @return false if that is not possible
     */
    boolean answerWithCopy(MemorySegment buffer, long from, long length) {
        var target = memory().message().memory();
        if (memory().isPosted() || length > target.byteSize()) {
            return false;
        }
        MemorySegment.copy(buffer, from, target, 0, length);
        if (replied.set(target, length)) {
            reply = new Answer.Reply(replied.part, Placements.NONE);
        }
        return true;
    }

    /**
     * Answers it with a reply where that lies: from now on the receive is the call's.
     *
     * @return the receive that the call had before, for another reply; null if it had none
     */
    SegmentPool.Lease answerWithReceive(SegmentPool.Lease buffer, long from, long length) {
        var before = receive;
        receive = buffer;
        reply = new Answer.Reply(buffer.segment().asSlice(from, length), Placements.NONE);
        // The next one that is copied is another view.
        replied.forget();
        return before;
    }

    /** The answer that it was given. */
    Answer shortAnswer() {
        return reply;
    }

    /** Whether what it has is worth keeping. */
    boolean isSmall() {
        return receive == null || receive.whole().byteSize() <= PlainMessage.SMALL_BYTES;
    }

    /** Gives back the memory of the answer; the call is not used again. */
    void dispose() {
        if (receive != null) {
            receive.close();
            receive = null;
        }
    }
}
