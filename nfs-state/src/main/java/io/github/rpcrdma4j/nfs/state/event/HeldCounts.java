package io.github.rpcrdma4j.nfs.state.event;

/**
 * How much clients hold together.
 *
 * @param isGrace whether clients of an earlier start may reclaim now, and none gets anything new
 * @param clients clients of version 4, and hosts with locks of version 3
 * @param sessions sessions of all clients
 * @param opens opens of version 4 that no client has lost
 * @param ranges locked byte ranges, of all versions
 * @param delegations delegations that no client has lost
 * @param copies asynchronous copies whose end their client does not know yet
 */
public record HeldCounts(
        boolean isGrace,
        int clients,
        int sessions,
        int opens,
        int ranges,
        int delegations,
        int copies) {}
