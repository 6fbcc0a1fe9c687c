package io.github.rpcrdma4j.rpcrdma.options;

import java.time.Duration;

/**
 * What a server bears from one client, which is one address, over all its connections.
 *
 * @param connectionsMax connections at a time; more are refused
 * @param callsMax calls in progress at a time; more wait before anything is fetched for them
 * @param bytesMax bytes at a time: posted receives, Read chunks, the room for results that calls in
 *     progress offer, and replies that wait to be fetched; calls that would take more wait,
 *     connections are refused
 * @param takeTimeout how long a peer may take nothing of what was sent to it; then its connection
 *     is closed
 * @param giveTimeout how long an RDMA Read may wait for its data; then the connection is closed
 */
public record PeerLimits(
        int connectionsMax,
        int callsMax,
        long bytesMax,
        Duration takeTimeout,
        Duration giveTimeout) {
    /** A thousand connections, four thousand calls, 1 GiB, and half a minute to do what it owes. */
    public static final PeerLimits DEFAULT =
            new PeerLimits(1024, 4096, 1L << 30, Duration.ofSeconds(30), Duration.ofSeconds(30));

    public PeerLimits {
        if (connectionsMax < 1 || callsMax < 1 || bytesMax < 1) {
            throw new IllegalArgumentException("a limit of a client is at least 1");
        }
        if (!takeTimeout.isPositive() || !giveTimeout.isPositive()) {
            throw new IllegalArgumentException("a timeout of a peer is positive");
        }
    }
}
