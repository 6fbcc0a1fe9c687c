package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessages;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A call without chunks in either direction. It is used again and again ({@link ShortCalls}), with
 * its memory, its work request and its answer.
 */
public final class ShortCall extends PendingCall implements Endpoint.Ending {
    /** Of calls with more memory than this, none is kept, and no bulk data is copied into any. */
    private static final int SMALL_BYTES = 8192;

    /** Of calls that expose nothing. */
    private static final ExposedMemory NOTHING = new ExposedMemory(null, 0);

    /** Where it is kept for later. */
    private final ShortCalls home;

    /** Its message, behind room for a header; later what answers it. */
    private final XdrWriter writer;

    private final WorkBatch sending = new WorkBatch(this);
    private final View replied = new View();
    private List<WorkRequest> requests = List.of();
    private MemorySegment sentFrom = MemorySegment.NULL;
    private long sentBytes;
    private Answer.Reply reply;

    /** The receive that a reply was left in, kept for the next; null if there is none. */
    private SegmentPool.Lease receive;

    /** Whether its Send is posted; guarded by this. */
    private boolean posted;

    /** Whether it was released too early to be used again; guarded by this. */
    private boolean retired;

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

    ShortCall(ShortCalls home, SegmentPool pool) {
        super(0);
        this.home = home;
        this.writer = new XdrWriter(pool, PlainMessage.HEADER_BYTES);
    }

    /** Where its message is written. */
    public XdrWriter writer() {
        return writer;
    }

    /**
     * Whether what was written is a short call.
     *
     * @param replyVerifierMax the longest verifier body of the reply, in bytes
     * @param plain which calls without chunks are short
     */
    public boolean fits(RpcCall call, int replyVerifierMax, Terms terms, PlainMessages plain) {
        var targets = call.resultTargets();
        boolean hasNoBulkData = writer.bulkItems().isEmpty() && targets.isEmpty();
        boolean isPlain =
                switch (plain) {
                    case NONE -> false;
                    case WITHOUT_BULK_DATA -> hasNoBulkData;
                    case WITH_BULK_DATA -> hasNoBulkData || writer.position() <= SMALL_BYTES;
                };
        return isPlain
                && CallShape.isShort(
                        call.resultsMax() + CallShape.paddedBytes(targets),
                        replyVerifierMax,
                        writer.position(),
                        terms);
    }

    /** From now on it is a call whose message was written, with that XID. */
    public ShortCall begin(int newXid) {
        writer.takeIn();
        restart(newXid);
        return this;
    }

    @Override
    public ExposedMemory exposed() {
        return NOTHING;
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

    /**
     * Its Send, with its header; the bytes cannot change until that has ended.
     *
     * @param memory of the connection
     */
    WorkBatch sending(int credits, ConnectionMemory memory) {
        PlainMessage.encode(xid(), credits, writer.memory());
        long length = PlainMessage.HEADER_BYTES + writer.mark();
        if (sentFrom != writer.memory() || sentBytes != length) {
            sentFrom = writer.memory();
            sentBytes = length;
            requests = List.of(memory.send(sentFrom, length));
        }
        synchronized (this) {
            posted = true;
        }
        return sending.of(requests);
    }

    @Override
    public void ended(boolean succeeded) {
        synchronized (this) {
            posted = false;
            if (!retired) {
                return;
            }
        }
        dispose();
    }

    /**
     * Answers it with a copy of a short reply, in the memory that its message left.
     *
     * @return false if that is not possible
     */
    boolean answerWithCopy(MemorySegment buffer, long from, long length) {
        synchronized (this) {
            if (posted || length > writer.memory().byteSize()) {
                return false;
            }
        }
        MemorySegment.copy(buffer, from, writer.memory(), 0, length);
        if (replied.set(writer.memory(), length)) {
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

    /** Whether it is worth keeping. */
    boolean isSmall() {
        return writer.memory().byteSize() <= SMALL_BYTES
                && (receive == null || receive.whole().byteSize() <= SMALL_BYTES);
    }

    /** Gives back the memory of the message and of the answer; the call is not used again. */
    void dispose() {
        writer.close();
        if (receive != null) {
            receive.close();
            receive = null;
        }
    }

    /** A call that the peer may still answer, or whose Send is still posted, is not used again. */
    @Override
    public void release() {
        super.release();
        boolean unused = state() == CallState.FINISHED || state() == CallState.WAITING;
        synchronized (this) {
            retired = posted || !unused;
            if (posted) {
                return;
            }
        }
        writer.clear();
        if (retired) {
            dispose();
        } else {
            home.giveBack(this);
        }
    }
}
