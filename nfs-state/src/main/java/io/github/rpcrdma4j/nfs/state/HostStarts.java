package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import java.util.List;
import java.util.Set;

/**
 * What a host has locked in each of its starts, by the numbers that LOCK tells. The first LOCK
 * after a start may come before the notice of it, and any user of the host may send such a LOCK. So
 * each lock has its number.
 *
 * <p>A number of another start may be lower: a host that loses its number begins at 1 again. What
 * has no number counts as 0, and goes with every notice that is not contradicted, even with one
 * that comes again: shares, and what Linux has reclaimed.
 */
final class HostStarts {
    private final Locks locks;
    private final Files files;

    HostStarts(Locks locks, Files files) {
        this.locks = locks;
        this.files = files;
    }

    /** Returns whether a host has locked anything in some starts, or waits for it. */
    static boolean hasAnyOf(Client client, Set<Integer> starts) {
        return client.waiters.stream().anyMatch(each -> starts.contains(each.call.hostState()))
                || client.states.values().stream().anyMatch(each -> isOf(each, starts));
    }

    private static boolean isOf(State held, Set<Integer> starts) {
        return switch (held) {
            case Locker locker ->
                    locker.file.locks.of(locker.owner, ByteRange.ALL).stream()
                            .anyMatch(each -> starts.contains(each.tag()));
            case Open open ->
                    HostShares.isShare(open)
                            ? starts.contains(0)
                            : open.file.questions.of(open).stream()
                                    .anyMatch(each -> starts.contains(each.call.hostState()));
            case Delegation _ -> false;
        };
    }

    /** Frees what a host has of all starts but some. */
    void freeOthers(Client client, Set<Integer> starts, long now) {
        for (var waiter : List.copyOf(client.waiters)) {
            if (!starts.contains(waiter.call.hostState())) {
                locks.cancel(waiter, now);
            }
        }
        for (var each : List.copyOf(client.states.values())) {
            if (each instanceof Open open) {
                freeOthers(open, starts, now);
            }
        }
    }

    private void freeOthers(Open open, Set<Integer> starts, long now) {
        boolean isGone = HostShares.isShare(open) && !starts.contains(0);
        if (!HostShares.isShare(open)) {
            locks.giveUp(open, ask -> !starts.contains(ask.call.hostState()), now);
            locks.freeOthers(open, starts, now);
            isGone = !Hosts.isNeeded(open);
        }
        if (isGone) {
            files.close(open, now);
        }
    }
}
