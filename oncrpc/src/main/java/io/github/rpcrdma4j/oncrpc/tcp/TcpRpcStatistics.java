package io.github.rpcrdma4j.oncrpc.tcp;

/**
 * The counters of a server since its start.
 *
 * @param connectionsOpened connections that the server accepted to serve
 * @param connectionsRefused connections that the server closed at once because their client had too
 *     many, and none of them could be closed
 * @param connectionsEvicted connections that the server closed because others needed their slot,
 *     descriptor or memory
 * @param connectionsBroken connections that the server closed because the peer sent invalid data,
 *     or did not send or read in time
 * @param calls calls that the server passed to its programs
 * @param replies replies that the server wrote completely
 * @param discarded records that were not calls
 */
public record TcpRpcStatistics(
        long connectionsOpened,
        long connectionsRefused,
        long connectionsEvicted,
        long connectionsBroken,
        long calls,
        long replies,
        long discarded) {}
