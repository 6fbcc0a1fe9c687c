package io.github.rpcrdma4j.rpcrdma.responder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The memory that the calls of one connection hold. It limits the bytes of Read chunks per call and
 * per connection, and takes memory from the {@link ConnectionQuota}: for the Read chunks, and for
 * the results that the call offers room for, or for the longest reply if that is longer. A call
 * beyond the limits waits, and so do later calls. The arguments of calls that a program has not
 * passed on yet have a limit of their own, if the program sets one. Guarded by the lock of the
 * connection.
 */
final class CallQuota {
    /** The quota that one call has taken. */
    static final class Taken {
        /** Whether the call counts among those in progress. */
        private boolean inProgress;

        /** Whether the call has had to wait. */
        private boolean isDelayed;

        /** The bytes of memory that are planned for the reply. */
        private long replyBytes;

        /** The bytes taken from the quota. */
        private long takenBytes;

        /** Whether the program has passed the arguments on. Its thread sets this. */
        private volatile boolean isPassed;

        /** The quota that waits until they are passed on; null if none does. */
        private CallQuota ahead;

        /** The bytes of fetched arguments, which count against the limit of the connection. */
        private long fetchedBytes;

        /** Returns how many bytes are fetched from memory of the requester. */
        long fetchedBytes() {
            return fetchedBytes;
        }

        /**
         * Notes that the program has passed the arguments on. The thread of the program calls it,
         * without the lock.
         *
         * @return whether a call waits for that
         */
        boolean passedOn() {
            isPassed = true;
            var quota = ahead;
            return quota != null && quota.waitsForPassing;
        }
    }

    private final long fetchedBytesPerCall;
    private final ConnectionQuota quota;
    private final Guard guard;
    private ToLongFunction<ServedCall> replyBytes = _ -> 0;
    private final ArrayDeque<ServedCall> waiting = new ArrayDeque<>();

    /** The calls whose fetched arguments count as not passed on. */
    private final List<ServedCall> ahead = new ArrayList<>(0);

    /** The most bytes of their arguments. */
    private long aheadMax = Long.MAX_VALUE;

    /** Whether the next call waits until arguments are passed on. */
    private volatile boolean waitsForPassing;

    /** How many more bytes may be fetched now. */
    private long left;

    /**
     * @param bounds the most bytes that are fetched for one call, and at a time for all calls
     * @param quota the share of the connection in the quota of its client
     * @param guard reports calls beyond the limit of one call
     */
    CallQuota(Responder.Bounds bounds, ConnectionQuota quota, Guard guard) {
        this.guard = guard;
        this.fetchedBytesPerCall = bounds.fetchedBytesPerCall();
        this.left = bounds.fetchedBytesPerConnection();
        this.quota = quota;
    }

    /** Sets the memory of calls, before the first one; see {@link Responder#plan}. */
    void plan(long ahead, ToLongFunction<ServedCall> replies) {
        aheadMax = ahead;
        replyBytes = replies;
    }

    /**
     * Returns whether a call's Read chunks stay within the limit of one call (RFC 8166-8.1.4-1).
     */
    boolean accepts(ServedCall call) {
        long bytes = call.chunks().readBytes();
        if (bytes > fetchedBytesPerCall) {
            guard.isTooLong(call.execution().header(), bytes, fetchedBytesPerCall);
        }
        return bytes <= fetchedBytesPerCall;
    }

    /** Adds a call, which may proceed when {@link #next} returns it. */
    void add(ServedCall call) {
        call.taken().replyBytes = replyBytes.applyAsLong(call);
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
        long results = Math.max(call.offeredBytes(), call.taken().replyBytes);
        long bytes = reads + Math.min(results, fetchedBytesPerCall);
        if (reads > left || !mayBeAhead(reads)) {
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
        if (isLimitedAhead(reads)) {
            taken.isPassed = false;
            taken.ahead = this;
            ahead.add(call);
        }
        return call;
    }

    private boolean isLimitedAhead(long reads) {
        return reads > 0 && aheadMax < Long.MAX_VALUE;
    }

    /** Returns whether further arguments may be fetched before others are passed on. */
    private boolean mayBeAhead(long reads) {
        if (!isLimitedAhead(reads)) {
            return true;
        }
        // It is set before the look at the calls, so that each passing is seen here or resumes.
        waitsForPassing = true;
        ahead.removeIf(each -> each.taken().isPassed);
        long bytes = 0;
        for (var each : ahead) {
            bytes += each.taken().fetchedBytes;
        }
        boolean may = bytes == 0 || reads <= aheadMax - bytes;
        waitsForPassing = !may;
        return may;
    }

    /** Releases the fetched bytes of a call whose arguments are not needed any more. */
    void releaseArguments(ServedCall call) {
        left += call.taken().fetchedBytes;
        call.taken().fetchedBytes = 0;
        if (call.taken().ahead != null) {
            call.taken().ahead = null;
            ahead.remove(call);
        }
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
