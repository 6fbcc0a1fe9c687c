package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServerBuilder;
import java.time.Duration;

/**
 * The limits of a gateway.
 *
 * @param messageMax the longest call message, and the longest results that the gateway makes room
 *     for where it cannot read the call, in bytes
 * @param callTimeout the time after which a call without a reply ends both connections
 * @param callsMax the most calls that are passed on at a time; more wait
 * @param replyBytesMax the most bytes of the replies to calls that are passed on at a time; more
 *     calls wait. The effective limit is at most a quarter of the memory budget of the process.
 * @param connectionsMax the most connections to the server of clients that are connected. Up to
 *     {@value #DRAINING_MAX} more end after those of their clients. The server counts them all for
 *     the gateway's address.
 */
public record GatewayLimits(
        long messageMax,
        Duration callTimeout,
        int callsMax,
        long replyBytesMax,
        int connectionsMax) {
    /** The longest header of a reply in bytes, rounded up. */
    static final long HEADER_BYTES = 1024;

    /**
     * The bytes of arguments on one connection that are fetched before the server takes them: a few
     * WRITEs of 1 MiB, so that the fetch of one and the sending of another go together.
     */
    static final long BYTES_AHEAD = 4L << 20;

    /** The least that {@code messageMax} may be, in bytes: calls without data fit. */
    public static final long MESSAGE_BYTES_MIN = 4096;

    /** The most that {@code messageMax} may be, in bytes. */
    public static final long MESSAGE_BYTES_MAX = TcpRpcClient.REPLY_BYTES_MAX - HEADER_BYTES;

    /**
     * The most connections to the server that outlive those of their clients: until the server has
     * replied to calls that the client may send again.
     */
    public static final int DRAINING_MAX = 24;

    /**
     * One MiB of data with 64 KiB around it, an hour for a call, 1024 calls, 512 MiB, and 96
     * connections: with those that end later, fewer than the 128 that {@link TcpRpcOptions#DEFAULT}
     * gives one address.
     */
    public static final GatewayLimits DEFAULT =
            new GatewayLimits((1 << 20) + (64 << 10), Duration.ofHours(1), 1024, 512L << 20, 96);

    /** The calls of one connection on TCP that are passed on: as many as RDMA usually grants. */
    private static final int TCP_CALLS = 64;

    /** The calls of one connection on TCP that wait: more than a session of a client has slots. */
    private static final int TCP_CALLS_WAITING = 1024;

    private static final long RDMA_CALL_BYTES = 8L << 20;
    private static final long RDMA_CONNECTION_BYTES = 64L << 20;

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public GatewayLimits {
        if (messageMax < MESSAGE_BYTES_MIN || messageMax > MESSAGE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "the longest message must have %d to %d bytes: %d"
                            .formatted(MESSAGE_BYTES_MIN, MESSAGE_BYTES_MAX, messageMax));
        }
        if (!callTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "callTimeout must be positive: " + Timeouts.words(callTimeout));
        }
        if (callsMax < 2 || replyBytesMax < 2 || connectionsMax < 2) {
            throw new IllegalArgumentException(
                    "callsMax, replyBytesMax and connectionsMax must be at least 2");
        }
    }

    /** Returns the longest results for which there is room, in bytes. */
    public long resultsMax() {
        return messageMax;
    }

    /**
     * Returns these limits for another length of messages.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public GatewayLimits withMessageMax(long bytes) {
        return new GatewayLimits(bytes, callTimeout, callsMax, replyBytesMax, connectionsMax);
    }

    /**
     * Returns these limits for another number of connections to the server.
     *
     * @throws IllegalArgumentException if it is below 2
     */
    public GatewayLimits withConnectionsMax(int connections) {
        return new GatewayLimits(messageMax, callTimeout, callsMax, replyBytesMax, connections);
    }

    /** Returns the limits of a server on TCP that passes the calls of its clients to a gateway. */
    public TcpRpcOptions tcpOptions() {
        return TcpRpcOptions.DEFAULT
                .withRecordMax(messageMax)
                .withCalls(callsMax, callsMax / 2, TCP_CALLS, TCP_CALLS_WAITING);
    }

    /** Returns the settings of a server on RDMA that passes the calls of its clients on. */
    public RpcRdmaServerBuilder rdmaSettings(RpcRdmaServerBuilder server) {
        return server.fetchedBytesPerCall(Math.max(RDMA_CALL_BYTES, messageMax))
                .fetchedBytesPerConnection(Math.max(RDMA_CONNECTION_BYTES, messageMax));
    }
}
