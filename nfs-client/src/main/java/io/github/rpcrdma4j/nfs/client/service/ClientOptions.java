package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a client.
 *
 * @param timeout the longest time of one call
 * @param retry how long the client tries to reconnect before an operation fails; zero for a single
 *     attempt after the loss of a connection in use
 * @param connections how many connections carry the calls, as far as the server takes them; one of
 *     versions 2 and 3 carries each call to its end, and takes turns with the others
 * @param outstanding the most outstanding calls of a file copy
 * @param files the most files that a tree copy moves at a time
 * @param versions the versions of NFS, of which the first is used that the server has
 * @param rate the most bytes per second of copies; {@link Long#MAX_VALUE} for no limit
 * @param caller the credential that the connectors send, as far as its AUTH_SYS user is to count as
 *     the owner of links: in a sticky directory that all may write to, a mount follows the caller's
 *     own links, and those of the directory's owner
 * @param waits hears for what the calls wait
 */
public record ClientOptions(
        Duration timeout,
        Duration retry,
        int connections,
        int outstanding,
        int files,
        List<NfsVersion> versions,
        long rate,
        Credential caller,
        Waits waits) {
    /** The versions that a server is asked for, one after the other, if nothing else is said. */
    public static final List<NfsVersion> USUAL_VERSIONS =
            List.of(NfsVersion.VERSION_4_2, NfsVersion.VERSION_4_1, NfsVersion.VERSION_3);

    /** The most connections, as of a mount of Linux. */
    public static final int CONNECTIONS_MAX = 16;

    /**
     * 30 seconds per call, a single reconnection attempt, one connection, 8 outstanding calls and
     * 16 files, over the usual versions, for no user.
     */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Duration.ofSeconds(30), Duration.ZERO, 8, 16);

    /** Settings for one connection and the usual versions, for no user. */
    public ClientOptions(Duration timeout, Duration retry, int outstanding, int files) {
        this(
                timeout,
                retry,
                1,
                outstanding,
                files,
                USUAL_VERSIONS,
                Long.MAX_VALUE,
                new Credential.None(),
                new Waits());
    }

    /** Checks the settings, and copies the list. */
    public ClientOptions {
        versions = List.copyOf(versions);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("at least one version");
        }
        if (timeout.isNegative() || timeout.isZero() || retry.isNegative()) {
            throw new IllegalArgumentException(
                    "the timeout must be positive, the retry not negative");
        }
        if (connections < 1 || connections > CONNECTIONS_MAX) {
            throw new IllegalArgumentException("1 to " + CONNECTIONS_MAX + " connections");
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
        return new ClientOptions(
                changed, retry, connections, outstanding, files, versions, rate, caller, waits);
    }

    /** Returns these options with another duration of reconnection attempts. */
    public ClientOptions withRetry(Duration changed) {
        return new ClientOptions(
                timeout, changed, connections, outstanding, files, versions, rate, caller, waits);
    }

    /** Returns these options for another number of connections. */
    public ClientOptions withConnections(int changed) {
        return new ClientOptions(
                timeout, retry, changed, outstanding, files, versions, rate, caller, waits);
    }

    /** Returns these options for one version of NFS. */
    public ClientOptions withVersion(NfsVersion only) {
        return withVersions(List.of(only));
    }

    /** Returns these options for other versions of NFS. */
    public ClientOptions withVersions(List<NfsVersion> changed) {
        return new ClientOptions(
                timeout, retry, connections, outstanding, files, changed, rate, caller, waits);
    }

    /**
     * Returns the version of MOUNT for the first version that needs one; that of version 3 else.
     */
    public int mountVersion() {
        return versions.stream()
                .flatMapToInt(version -> version.mountNumber().stream())
                .findFirst()
                .orElse(NfsVersion.VERSION_3.mountNumber().orElseThrow());
    }

    /** Returns the bindings that a connection over RDMA needs for the versions. */
    public List<UpperLayerBinding> bindings() {
        return versions.stream().map(NfsVersion::binding).distinct().toList();
    }

    /** Returns these options with another limit for copies, in bytes per second. */
    public ClientOptions withRate(long changed) {
        return new ClientOptions(
                timeout, retry, connections, outstanding, files, versions, changed, caller, waits);
    }

    /** Returns these options for calls of another caller. */
    public ClientOptions withCaller(Credential changed) {
        return new ClientOptions(
                timeout, retry, connections, outstanding, files, versions, rate, changed, waits);
    }

    /** Returns these options with something else that hears for what the calls wait. */
    public ClientOptions withWaits(Waits changed) {
        return new ClientOptions(
                timeout, retry, connections, outstanding, files, versions, rate, caller, changed);
    }
}
