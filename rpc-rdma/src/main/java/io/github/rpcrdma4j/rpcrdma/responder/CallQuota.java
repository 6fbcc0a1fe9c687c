package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.ArrayDeque;

/**
 * The memory that the calls of one connection hold. It limits the bytes of Read chunks per call and
 * per connection, and takes memory from the {@link ConnectionQuota}. A call beyond the limits
 * waits, and so do later calls. Guarded by the lock of the connection.
 */
final class CallQuota {
    /** The quota that one call has taken. */
    static final class Taken {
        /** Whether the call counts among those in progress. */
        private boolean inProgress;

        /** Whether the call has had to wait. */
        private boolean isDelayed;

        /** The bytes taken from the quota. */
        private long takenBytes;

        /** The bytes of fetched arguments, which count against the limit of the connection. */
        private long fetchedBytes;

        /** Returns how many bytes are fetched from memory of the requester. */
        long fetchedBytes() {
            return fetchedBytes;
        }
    }

    private final long callBytesMax;
    private final ConnectionQuota quota;
    private final Guard guard;
    private final ArrayDeque<ServedCall> waiting = new ArrayDeque<>();

    /** How many more bytes may be fetched now. */
    private long left;

    /**
     * @param bounds the most bytes that are fetched for one call, and at a time for all calls
     * @param quota the share of the connection in the quota of its client
     * @param guard reports calls beyond the limit of one call
     */
    CallQuota(Responder.Bounds bounds, ConnectionQuota quota, Guard guard) {
        this.guard = guard;
        this.callBytesMax = bounds.callBytesMax();
        this.left = bounds.connectionBytesMax();
        this.quota = quota;
    }

    /**
     * Returns whether a call's Read chunks stay within the limit of one call (RFC 8166-8.1.4-1).
     */
    boolean accepts(ServedCall call) {
        long bytes = call.chunks().readBytes();
        if (bytes > callBytesMax) {
            guard.isTooLong(call.execution().header(), bytes, callBytesMax);
        }
        return bytes <= callBytesMax;
    }

    /** Adds a call, which may proceed when {@link #next} returns it. */
    void add(ServedCall call) {
        waiting.addLast(call);
    }

    /**
     * Takes the quota of the next call and returns it; null if no call waits, or the next has to
     * wait longer.
     */
    ServedCall next() {
        var call = waiting.peekFirst();
        if (call == null) {
            return null;
        }
        long reads = call.chunks().readBytes();
        long bytes = reads + Math.min(call.offeredBytes(), callBytesMax);
        if (reads > left) {
            return null;
        }
        var taken = call.taken();
        if (!quota.take(bytes)) {
            if (!taken.isDelayed) {
                taken.isDelayed = true;
                quota.delayed();
            }
            return null;
        }
        waiting.removeFirst();
        taken.isDelayed = false;
        taken.inProgress = true;
        taken.takenBytes = bytes;
        taken.fetchedBytes = reads;
        left -= reads;
        return call;
    }

    /** Releases the fetched bytes of a call whose arguments are not needed any more. */
    void releaseArguments(ServedCall call) {
        left += call.taken().fetchedBytes;
        call.taken().fetchedBytes = 0;
    }

    /**
     * Releases the argument bytes of a call whose reply was posted. Only its results are held now.
     */
    void answered(ServedCall call) {
        var taken = call.taken();
        if (taken.inProgress) {
            long reads = call.chunks().readBytes();
            taken.inProgress = false;
            taken.takenBytes -= reads;
            quota.answered(reads);
        }
    }

    /**
     * Returns whether other calls may wait for memory that this call holds until its reply is sent.
     */
    boolean isAwaited(ServedCall call) {
        return call.taken().takenBytes > call.chunks().readBytes() && quota.isScarce();
    }

    /** Releases all quota of a call. */
    void release(ServedCall call) {
        releaseArguments(call);
        var taken = call.taken();
        long bytes = taken.takenBytes;
        boolean inProgress = taken.inProgress;
        taken.takenBytes = 0;
        taken.inProgress = false;
        if (inProgress) {
            quota.answered(bytes);
        } else if (bytes > 0) {
            quota.give(bytes);
        }
    }

    /** Drops all waiting calls at the end of the connection. */
    void close() {
        waiting.clear();
        quota.close();
    }
}
