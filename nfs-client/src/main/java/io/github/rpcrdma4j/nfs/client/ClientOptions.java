package io.github.rpcrdma4j.nfs.client;

import java.time.Duration;

/**
 * The settings of a client.
 *
 * @param timeout the longest time of one call
 * @param retry how long the client tries to reconnect before an operation fails; zero for a single
 *     attempt after the loss of a connection in use
 * @param outstanding the most outstanding calls of a file copy
 * @param files the most files that a tree copy moves at a time
 * @param version the version of NFS
 * @param rate the most bytes per second of copies; {@link Long#MAX_VALUE} for no limit
 */
public record ClientOptions(
        Duration timeout,
        Duration retry,
        int outstanding,
        int files,
        NfsVersion version,
        long rate) {
    /**
     * 30 seconds per call, a single reconnection attempt, 8 outstanding calls and 16 files, over
     * version 3.
     */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 8, 16);

    /** Settings for version 3. */
    public ClientOptions(Duration timeout, Duration retry, int outstanding, int files) {
        this(timeout, retry, outstanding, files, NfsVersion.VERSION_3, Long.MAX_VALUE);
    }

    /** Checks the settings. */
    public ClientOptions {
        if (timeout.isNegative() || timeout.isZero() || retry.isNegative()) {
            throw new IllegalArgumentException(
                    "the timeout must be positive, the retry not negative");
        }
        if (outstanding < 1 || files < 1) {
            throw new IllegalArgumentException("at least one outstanding call and one file");
        }
        if (rate < 1) {
            throw new IllegalArgumentException("the rate must be positive");
        }
    }

    /** Returns these options with another timeout for one call. */
    public ClientOptions withTimeout(Duration changed) {
        return new ClientOptions(changed, retry, outstanding, files, version, rate);
    }

    /** Returns these options with another duration of reconnection attempts. */
    public ClientOptions withRetry(Duration changed) {
        return new ClientOptions(timeout, changed, outstanding, files, version, rate);
    }

    /** Returns these options for another version of NFS. */
    public ClientOptions withVersion(NfsVersion changed) {
        return new ClientOptions(timeout, retry, outstanding, files, changed, rate);
    }

    /** Returns these options with another limit for copies, in bytes per second. */
    public ClientOptions withRate(long changed) {
        return new ClientOptions(timeout, retry, outstanding, files, version, changed);
    }
}
