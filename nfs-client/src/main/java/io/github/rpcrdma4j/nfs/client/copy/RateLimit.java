package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.file.Interruption;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * The most bytes per second of copies. Each transfer waits until those before it have had their
 * time. Thread-safe.
 */
final class RateLimit {
    /** Transfers take at most a part of a second, so that calls do not wait too long. */
    private static final int PARTS = 4;

    private static final int TRANSFER_MIN = 4096;

    /** The most outstanding calls of a limited copy. */
    private static final int OUTSTANDING = 2;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long perSecond;
    private boolean isUsed;

    /** When the next transfer may begin, by {@link System#nanoTime}. */
    private long due;

    /**
     * Creates a limit.
     *
     * @param perSecond bytes; {@link Long#MAX_VALUE} for no limit
     */
    RateLimit(long perSecond) {
        this.perSecond = perSecond;
    }

    boolean isLimited() {
        return perSecond != Long.MAX_VALUE;
    }

    /** Returns the longest transfer, in bytes. */
    int transfer(int max) {
        return isLimited() ? (int) Math.min(max, Math.max(perSecond / PARTS, TRANSFER_MIN)) : max;
    }

    /** Returns the most outstanding calls of one copy. */
    int outstanding(int max) {
        return isLimited() ? Math.min(max, OUTSTANDING) : max;
    }

    /**
     * Takes the time of a transfer.
     *
     * @param now by {@link System#nanoTime}
     * @return how long to wait before it, in nanoseconds
     */
    synchronized long reserve(long bytes, long now) {
        long start = isUsed && due - now > 0 ? due : now;
        isUsed = true;
        // Divides first by what keeps the product small.
        due = start + (long) ((double) bytes / perSecond * SECOND);
        return start - now;
    }

    /**
     * Waits until a transfer may begin.
     *
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status is set
     */
    void take(long bytes) throws InterruptedIOException {
        if (!isLimited()) {
            return;
        }
        long wait = reserve(bytes, System.nanoTime());
        try {
            TimeUnit.NANOSECONDS.sleep(wait);
        } catch (InterruptedException interrupted) {
            throw Interruption.of(interrupted);
        }
    }
}
