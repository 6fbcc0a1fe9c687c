package io.github.rpcrdma4j.nfs.client;

import java.time.Duration;

/**
 * How a client behaves.
 *
 * @param deadline the bound on one call
 * @param retry how long a lost connection is tried to be made anew before an operation fails; zero
 *     for the one try at once that follows the loss of a connection in use
 * @param outstanding calls in flight of one file copy
 * @param files files in flight of one tree copy
 */
public record ClientOptions(Duration deadline, Duration retry, int outstanding, int files) {
    /** Half a minute for a call, no more than one retry, 8 calls in flight, 16 files. */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 8, 16);

    /** Checks the settings. */
    public ClientOptions {
        if (deadline.isNegative() || deadline.isZero() || retry.isNegative()) {
            throw new IllegalArgumentException(
                    "the deadline must be positive, the retry not negative");
        }
        if (outstanding < 1 || files < 1) {
            throw new IllegalArgumentException("at least one call and one file in flight");
        }
    }

    /** Bounds one call. */
    public ClientOptions withDeadline(Duration changed) {
        return new ClientOptions(changed, retry, outstanding, files);
    }

    /** Sets how long a lost connection is tried to be made anew. */
    public ClientOptions withRetry(Duration changed) {
        return new ClientOptions(deadline, changed, outstanding, files);
    }
}
