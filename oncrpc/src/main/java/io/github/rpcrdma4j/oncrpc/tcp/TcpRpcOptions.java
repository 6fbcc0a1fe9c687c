package io.github.rpcrdma4j.oncrpc.tcp;

import java.time.Duration;

/**
 * The limits of a server. A client is a {@link io.github.rpcrdma4j.oncrpc.ClientAddress}: an IPv4
 * address, or the /64 of an IPv6 address.
 *
 * @param connectionsMax the most connections at a time. For one more, the server closes the longest
 *     idle connection of the client with the most connections
 * @param connectionsPerClientMax the most connections of one client. For one more, the server
 *     closes the longest idle connection of its address with the most, or else the new one
 * @param callsMax the most calls in progress at a time, from the start of their execution to the
 *     last byte of their reply. Further calls wait. Each client may always have two
 * @param callsPerClientMax the most calls in progress of one client
 * @param callsPerConnectionMax the most calls in progress of one connection
 * @param callsWaitingMax the most calls of one connection that wait because {@code
 *     callsPerConnectionMax} are in progress. At this bound, the server stops reading the
 *     connection, so replies to calls of the server behind them wait, too
 * @param bytesPerClientMax the most memory of one client, in bytes: unfinished records, calls and
 *     replies in progress. At this bound, the server stops reading the client's connections. The
 *     effective bound is at most a quarter of the memory budget of the process
 * @param recordMax the longest call message, in bytes
 * @param stallTimeout the time limit for receiving one call message and for sending one reply;
 *     after it, the server closes the connection
 * @param idleTimeout the time after which the server closes a silent connection without calls in
 *     progress
 */
public record TcpRpcOptions(
        int connectionsMax,
        int connectionsPerClientMax,
        int callsMax,
        int callsPerClientMax,
        int callsPerConnectionMax,
        int callsWaitingMax,
        long bytesPerClientMax,
        long recordMax,
        Duration stallTimeout,
        Duration idleTimeout) {
    /** The limits for calls with up to 1 MiB of data. */
    public static final TcpRpcOptions DEFAULT =
            new TcpRpcOptions(
                    256,
                    128,
                    128,
                    64,
                    16,
                    64,
                    128L << 20,
                    (1 << 20) + (64 << 10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(6));

    /** Checks that all limits and timeouts are positive. */
    public TcpRpcOptions {
        if (connectionsMax < 1
                || connectionsPerClientMax < 1
                || callsMax < 1
                || callsPerClientMax < 1
                || callsPerConnectionMax < 1
                || callsWaitingMax < 1
                || bytesPerClientMax < 1
                || recordMax < 1) {
            throw new IllegalArgumentException("a limit of a server must be at least 1");
        }
        if (!stallTimeout.isPositive() || !idleTimeout.isPositive()) {
            throw new IllegalArgumentException("a timeout of a server must be positive");
        }
    }

    /**
     * Returns these limits with other bounds on calls.
     *
     * @param all the most calls in progress
     * @param perClient the most of one client
     * @param perConnection the most of one connection
     * @param waiting the most of one connection that wait
     */
    public TcpRpcOptions withCalls(int all, int perClient, int perConnection, int waiting) {
        return new TcpRpcOptions(
                connectionsMax,
                connectionsPerClientMax,
                all,
                perClient,
                perConnection,
                waiting,
                bytesPerClientMax,
                recordMax,
                stallTimeout,
                idleTimeout);
    }

    /** Returns these limits with another bound on the length of a call message, in bytes. */
    public TcpRpcOptions withRecordMax(long bytes) {
        return new TcpRpcOptions(
                connectionsMax,
                connectionsPerClientMax,
                callsMax,
                callsPerClientMax,
                callsPerConnectionMax,
                callsWaitingMax,
                bytesPerClientMax,
                bytes,
                stallTimeout,
                idleTimeout);
    }
}
