package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.ArrayDeque;

/**
 * What the calls of one connection hold: bytes of Read chunks, which are bounded for a call and for
 * the connection, and their share of the {@link ConnectionQuota} of the client. A call beyond that
 * waits, and so do the calls behind it. Guarded by the lock of the connection.
 */
final class CallQuota {
    /** What one call has taken. */
    static final class Taken {
        /** Whether the call counts among those in progress. */
        private boolean inProgress;

        /** Bytes that were taken from the quota. */
        private long allowed;

        /** Bytes of the arguments that are fetched; they count against the connection. */
        private long fetched;

        /** How many bytes of the call are fetched from memory of the requester. */
        long fetched() {
            return fetched;
        }
    }

    private final long callBytesMax;
    private final ConnectionQuota quota;
    private final ArrayDeque<ServedCall> waiting = new ArrayDeque<>();

    /** Bytes that may be fetched beside those that are. */
    private long left;

    /**
     * @param callBytesMax the most bytes of one call
     * @param connectionBytesMax the most bytes that are fetched at a time for all calls
     * @param quota of the client
     */
    CallQuota(long callBytesMax, long connectionBytesMax, ConnectionQuota quota) {
        this.callBytesMax = callBytesMax;
        this.left = connectionBytesMax;
        this.quota = quota;
    }

    /** Whether a call's Read chunks stay within the limit of one call (RFC 8166-8.1.4-1). */
    boolean accepts(ServedCall call) {
        return call.chunks().readBytes() <= callBytesMax;
    }

    /** Adds a call, which goes on when {@link #next} returns it. */
    void add(ServedCall call) {
        waiting.addLast(call);
    }

    /** Takes what the next call needs; null if no call waits, or it has to wait on. */
    ServedCall next() {
        var call = waiting.peekFirst();
        if (call == null) {
            return null;
        }
        long reads = call.chunks().readBytes();
        long bytes = reads + Math.min(call.offeredBytes(), callBytesMax);
        if (reads > left || !quota.take(bytes)) {
            return null;
        }
        waiting.removeFirst();
        var taken = call.taken();
        taken.inProgress = true;
        taken.allowed = bytes;
        taken.fetched = reads;
        left -= reads;
        return call;
    }

    /** The arguments of a call are not needed any more. */
    void releaseArguments(ServedCall call) {
        left += call.taken().fetched;
        call.taken().fetched = 0;
    }

    /** The reply of a call is on its way: of its memory its results alone are held. */
    void answered(ServedCall call) {
        var taken = call.taken();
        if (taken.inProgress) {
            long reads = call.chunks().readBytes();
            taken.inProgress = false;
            taken.allowed -= reads;
            quota.answered(reads);
        }
    }

    /** Whether others may wait for what a call holds until its reply is sent. */
    boolean isAwaited(ServedCall call) {
        return call.taken().allowed > call.chunks().readBytes() && quota.isScarce();
    }

    /** Nothing of a call is held any more. */
    void release(ServedCall call) {
        releaseArguments(call);
        var taken = call.taken();
        long bytes = taken.allowed;
        boolean inProgress = taken.inProgress;
        taken.allowed = 0;
        taken.inProgress = false;
        if (inProgress) {
            quota.answered(bytes);
        } else if (bytes > 0) {
            quota.give(bytes);
        }
    }

    /** The connection is gone: no call goes on. */
    void close() {
        waiting.clear();
        quota.close();
    }
}
