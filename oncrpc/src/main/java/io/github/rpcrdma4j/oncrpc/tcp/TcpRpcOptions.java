package io.github.rpcrdma4j.oncrpc.tcp;

import java.time.Duration;

/**
 * The limits of a server. A server holds at most {@code connectionsMax} unfinished records and
 * {@code callsMax} calls with their replies.
 *
 * @param connectionsMax connections at a time; more are closed at once
 * @param connectionsPerClientMax those of one address
 * @param callsMax calls at a time over all connections; more wait, and their connections with them
 * @param callsPerConnectionMax calls at a time of one connection
 * @param recordMax the longest call message, in octets
 * @param stallTimeout how long one call message may take to come and one reply to go; then the
 *     connection is closed
 * @param idleTimeout how long a connection may be silent with no call in progress; then it is
 *     closed
 */
public record TcpRpcOptions(
        int connectionsMax,
        int connectionsPerClientMax,
        int callsMax,
        int callsPerConnectionMax,
        long recordMax,
        Duration stallTimeout,
        Duration idleTimeout) {
    /** For calls with up to 1 MiB of data. */
    public static final TcpRpcOptions DEFAULT =
            new TcpRpcOptions(
                    256,
                    128,
                    128,
                    16,
                    (1 << 20) + (64 << 10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(10));

    public TcpRpcOptions {
        if (connectionsMax < 1
                || connectionsPerClientMax < 1
                || callsMax < 1
                || callsPerConnectionMax < 1
                || recordMax < 1) {
            throw new IllegalArgumentException("a limit of a server is at least 1");
        }
        if (!stallTimeout.isPositive() || !idleTimeout.isPositive()) {
            throw new IllegalArgumentException("a timeout of a server is positive");
        }
    }
}
