package io.github.rpcrdma4j.rpcrdma.metrics;

import java.net.InetSocketAddress;

/**
 * A snapshot of an open connection of a server. Counts are those since it was set up; counts of
 * bytes include payload only.
 *
 * @param callsInProgress calls that hold a credit and have no reply yet, as of {@link
 *     io.github.rpcrdma4j.rpcrdma.RpcRdmaServer#callsInProgress}
 * @param credits how many calls the client may have in progress
 * @param calls calls that have arrived
 * @param callBytes bytes of these calls
 * @param replyBytes bytes of replies
 */
public record ConnectionStatistics(
        InetSocketAddress peer,
        int callsInProgress,
        int credits,
        long calls,
        long callBytes,
        long replyBytes) {}
