package io.github.rpcrdma4j.rpcrdma.options;

import java.time.Duration;

/**
 * The limits of one client at a server, over all its connections. A client is an IPv4 address or
 * the /64 of an IPv6 address.
 *
 * @param connectionsMax the most connections at a time; the server refuses more
 * @param callsMax the most calls in progress at a time; more wait before their chunks are fetched
 * @param bytesMax the most bytes at a time: posted receives, Read chunks, memory that calls in
 *     progress offer for results, and replies that wait to be fetched; beyond it the server delays
 *     calls and refuses connections
 * @param sendTimeout how long a peer may accept nothing that was sent to it, before its connection
 *     is closed
 * @param readTimeout how long an RDMA Read may wait for its data, before the connection is closed
 */
public record PeerLimits(
        int connectionsMax,
        int callsMax,
        long bytesMax,
        Duration sendTimeout,
        Duration readTimeout) {
    /** The defaults: 1024 connections, 4096 calls, 1 GiB, and timeouts of 30 seconds. */
    public static final PeerLimits DEFAULT =
            new PeerLimits(1024, 4096, 1L << 30, Duration.ofSeconds(30), Duration.ofSeconds(30));

    public PeerLimits {
        if (connectionsMax < 1 || callsMax < 1 || bytesMax < 1) {
            throw new IllegalArgumentException(
                    "limitsPerClient: connections, calls and bytes must be at least 1");
        }
        if (!sendTimeout.isPositive() || !readTimeout.isPositive()) {
            throw new IllegalArgumentException("stallTimeouts must be positive");
        }
    }
}
