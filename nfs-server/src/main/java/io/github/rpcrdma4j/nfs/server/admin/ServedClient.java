package io.github.rpcrdma4j.nfs.server.admin;

import java.time.Duration;

/**
 * A client.
 *
 * @param id its number: another one after each restart of the client or the server
 * @param name what the client calls itself: printable ASCII, or {@code hex:} with hexadecimal
 *     digits
 * @param principal who the client is by its credential, such as {@code sys:0}
 * @param host the address from which it came when it began, such as {@code 192.0.2.1}; of IPv6 its
 *     first 64 bits, such as {@code fd00:1:2:3::/64}
 * @param implementation the name of its software; any text, also none
 * @param isConfirmed whether it has made a session
 * @param idle the time since its last call
 * @param isExpired whether its lease has expired: it has no locks, and keeps its opens until
 *     another client needs them
 * @param isRecorded whether it may reclaim them after a restart of the server
 * @param isRecovered whether it has reclaimed all that it wanted after the last restart
 * @param held its opens and lock owners
 * @param lost opens and lock owners that were taken from it, and that it has not freed
 * @param ranges its locked ranges
 */
public record ServedClient(
        long id,
        String name,
        String principal,
        String host,
        String implementation,
        boolean isConfirmed,
        Duration idle,
        boolean isExpired,
        boolean isRecorded,
        boolean isRecovered,
        int sessions,
        int held,
        int lost,
        int ranges) {}
