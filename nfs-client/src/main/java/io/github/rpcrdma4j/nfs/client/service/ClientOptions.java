package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.Credential;
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
 * @param caller the credential that the connectors send, as far as its AUTH_SYS user is to count as
 *     the owner of links: in a sticky directory that all may write to, a mount follows the caller's
 *     own links, and those of the directory's owner
 */
public record ClientOptions(
        Duration timeout,
        Duration retry,
        int outstanding,
        int files,
        NfsVersion version,
        long rate,
        Credential caller) {
    /**
     * 30 seconds per call, a single reconnection attempt, 8 outstanding calls and 16 files, over
     * version 3, for no user.
     */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 8, 16);

    /** Settings for version 3, for no user. */
    public ClientOptions(Duration timeout, Duration retry, int outstanding, int files) {
        this(
                timeout,
                retry,
                outstanding,
                files,
                NfsVersion.VERSION_3,
                Long.MAX_VALUE,
                new Credential.None());
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
        return new ClientOptions(changed, retry, outstanding, files, version, rate, caller);
    }

    /** Returns these options with another duration of reconnection attempts. */
    public ClientOptions withRetry(Duration changed) {
        return new ClientOptions(timeout, changed, outstanding, files, version, rate, caller);
    }

    /** Returns these options for another version of NFS. */
    public ClientOptions withVersion(NfsVersion changed) {
        return new ClientOptions(timeout, retry, outstanding, files, changed, rate, caller);
    }

    /** Returns these options with another limit for copies, in bytes per second. */
    public ClientOptions withRate(long changed) {
        return new ClientOptions(timeout, retry, outstanding, files, version, changed, caller);
    }

    /** Returns these options for calls of another caller. */
    public ClientOptions withCaller(Credential changed) {
        return new ClientOptions(timeout, retry, outstanding, files, version, rate, changed);
    }
}
