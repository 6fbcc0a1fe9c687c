package io.github.rpcrdma4j.oncrpc.tcp;

import java.time.Duration;

/**
 * The limits of a server. A client is a {@link io.github.rpcrdma4j.oncrpc.ClientAddress}: an IPv4
 * address, or the /64 of an IPv6 address.
 *
 * @param connectionsMax connections at a time. One more ends another: of the client with the most
 *     connections the one that is idle for longest
 * @param connectionsPerClientMax those of one client; more are closed at once
 * @param callsMax calls in progress at a time, from the first byte of their execution to the last
 *     byte of their reply; more wait, and their connections with them. Each client may have two
 *     whatever the others have
 * @param callsPerClientMax those of one client
 * @param callsPerConnectionMax those of one connection
 * @param bytesPerClientMax memory of one client: unfinished records, calls and replies in progress,
 *     in bytes; its connections are not read any further beyond it. Never more than a quarter of
 *     the memory that the process has
 * @param recordMax the longest call message, in bytes
 * @param stallTimeout how long one call message may take to come and one reply to go; then the
 *     connection is closed
 * @param idleTimeout how long a connection may be silent with no call in progress; then it is
 *     closed
 */
public record TcpRpcOptions(
        int connectionsMax,
        int connectionsPerClientMax,
        int callsMax,
        int callsPerClientMax,
        int callsPerConnectionMax,
        long bytesPerClientMax,
        long recordMax,
        Duration stallTimeout,
        Duration idleTimeout) {
    /** For calls with up to 1 MiB of data. */
    public static final TcpRpcOptions DEFAULT =
            new TcpRpcOptions(
                    256,
                    128,
                    128,
                    64,
                    16,
                    128L << 20,
                    (1 << 20) + (64 << 10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(6));

    /** Checks the settings. */
    public TcpRpcOptions {
        if (connectionsMax < 1
                || connectionsPerClientMax < 1
                || callsMax < 1
                || callsPerClientMax < 1
                || callsPerConnectionMax < 1
                || bytesPerClientMax < 1
                || recordMax < 1) {
            throw new IllegalArgumentException("a limit of a server is at least 1");
        }
        if (!stallTimeout.isPositive() || !idleTimeout.isPositive()) {
            throw new IllegalArgumentException("a timeout of a server is positive");
        }
    }
}
