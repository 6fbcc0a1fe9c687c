package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.share.Host;

/**
 * A client, for administrators.
 *
 * @param host where it came from when it asked for its client ID
 * @param idleNanos the time since the lease was renewed last
 * @param isExpired whether its lease has expired: it keeps its state until another client needs it
 * @param isRecorded whether it may reclaim its state after a restart
 * @param states opens and lock owners that it holds
 * @param lost opens and lock owners that were taken from it, and that it has not freed
 * @param ranges locked byte ranges
 */
public record ClientStatus(
        long clientId,
        OpaqueName name,
        Principal principal,
        Host host,
        String implementation,
        boolean isConfirmed,
        long idleNanos,
        boolean isExpired,
        boolean isRecorded,
        boolean reclaimComplete,
        int sessions,
        int states,
        int lost,
        int ranges) {}
