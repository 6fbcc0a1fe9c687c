package io.github.rpcrdma4j.nfs.state.limit;

import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * What a server starts with.
 *
 * @param bootEpoch the number of this start of the server, larger than all before: 1 at least. It
 *     is part of each stateid.
 * @param stateIdKey secret, random at each start: encrypts the stateids of minor version 0
 * @param leaseNanos the lease time
 * @param graceNanos the length of the grace period, if there is one
 * @param localNanos how long clients get to give a delegation back that a local process waits for
 */
public record StateSettings(
        int bootEpoch,
        KeyedHash stateIdKey,
        long leaseNanos,
        long graceNanos,
        long localNanos,
        StateLimits limits) {
    public StateSettings {
        if (bootEpoch < 1 || leaseNanos <= 0 || graceNanos <= 0 || localNanos <= 0) {
            throw new IllegalArgumentException("epoch and times are positive");
        }
    }
}
