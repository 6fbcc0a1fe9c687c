package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.ClientRecords;
import io.github.rpcrdma4j.nfs.server.driver.ServerIdentity;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of NFS version 4.
 *
 * @param minorVersions the minor versions that are served, of 0, 1 and 2
 * @param identity the names of the server
 * @param records what is kept of clients over restarts
 * @param lease the lease time: how long the state of a silent client is safe
 * @param grace how long clients may reclaim their state after a restart
 * @param asyncCopies whether the server goes on with long copies after its reply
 * @param delegatedTimes whether clients may keep times with their delegations
 */
public record Nfs4Settings(
        Set<Integer> minorVersions,
        ServerIdentity identity,
        ClientRecords records,
        Duration lease,
        Duration grace,
        boolean asyncCopies,
        boolean delegatedTimes) {}
