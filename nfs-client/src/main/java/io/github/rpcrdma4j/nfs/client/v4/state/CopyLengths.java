package io.github.rpcrdma4j.nfs.client.v4.state;

/**
 * How many bytes a server is asked to copy by one COPY (RFC 7862, Section 15.2). A server that
 * copies before its reply has to end in the time of a call. One that copies after its reply may
 * copy all at once, if it tells how far it is: otherwise nobody knows whether it still copies.
 * Thread-safe.
 *
 * <p>Tests: {@code CopyLengthsTest}.
 */
public final class CopyLengths {
    /** The longest range that is copied without news: a slow server ends it in time. */
    public static final long UNTOLD_MAX = 64L << 20;

    /** Whether the last COPY was answered before it was carried out. */
    private volatile boolean isAfterReply;

    private volatile boolean isUntold;

    /**
     * Returns how many bytes of a range to ask for.
     *
     * @param count of the range
     * @param isSynchronous whether the server is asked to copy before its reply
     */
    public long of(long count, boolean isSynchronous) {
        return isAfterReply && !isUntold && !isSynchronous ? count : Math.min(count, UNTOLD_MAX);
    }

    /** Hears that a COPY was answered. */
    public void answered(boolean isBeforeCopying) {
        isAfterReply = isBeforeCopying;
    }

    /** Hears that the server does not tell how far a copy is: it has no OFFLOAD_STATUS. */
    public void untold() {
        isUntold = true;
    }
}
