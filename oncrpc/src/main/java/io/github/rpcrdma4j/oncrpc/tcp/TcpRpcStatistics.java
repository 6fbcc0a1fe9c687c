package io.github.rpcrdma4j.oncrpc.tcp;

/**
 * What a server counted since its start.
 *
 * @param connectionsOpened connections that were let in
 * @param connectionsRefused connections that were closed because their client had too many
 * @param connectionsDisplaced connections that ended because others needed their place, their
 *     descriptor or their memory
 * @param connectionsBroken connections that were closed for what the peer sent, or did not send or
 *     take in time
 * @param calls calls that were handed to the programs
 * @param replies replies that were written whole
 * @param discarded records that are not calls
 */
public record TcpRpcStatistics(
        long connectionsOpened,
        long connectionsRefused,
        long connectionsDisplaced,
        long connectionsBroken,
        long calls,
        long replies,
        long discarded) {}
