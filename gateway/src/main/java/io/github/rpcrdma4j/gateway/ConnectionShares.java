package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Shares the connections to the server among the hosts of the clients: the server sees one address,
 * and so gives them few. When all are in use, the next one takes the place of another.
 *
 * <p>A host that asks gets the place of an idle connection of another host, if that host then still
 * has more connections than the one that asks had. If there is none, it gets the place of a busy
 * connection of such a host. Of several such hosts, the one with the most makes room. If there is
 * no such host either, the host that asks gets the place of the longest idle connection: of any
 * host if it has none, else of its own.
 *
 * <p>So a host with none gets one even if another host has all, and no host takes the last one of
 * another while some host has two.
 *
 * <p>A connection that makes room is counted until it has ended: the next one waits for that, but
 * not for long.
 *
 * <p>Thread-safe. A thread holds the lock for a few instructions, or while it searches the
 * connections.
 */
final class ConnectionShares {
    /** A connection of a client that has one to the server. */
    interface Holder {
        /** Returns whether no call of it is being passed on. Takes no lock but its own. */
        boolean isIdle();

        /** Returns when a call was last passed on, by {@link System#nanoTime}. */
        long lastUse();

        /** Closes it for another one. Called without the lock; does not wait. */
        void makeRoom();
    }

    private record Standing(
            ClientAddress host, Holder holder, int siblings, boolean isIdle, long lastUse) {
        static final Comparator<Standing> ORDER =
                Comparator.comparingInt(Standing::siblings)
                        .reversed()
                        .thenComparing((one, other) -> Long.signum(one.lastUse - other.lastUse));
    }

    private final int max;
    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    /** The lock guards the fields from here on. */
    private final Map<ClientAddress, Set<Holder>> holders = new HashMap<>();

    private int count;

    /** Those that make room, and have not ended. */
    private final Set<Holder> ending = new HashSet<>();

    /**
     * @param max the most connections; at least 2
     * @param patience how long a new one waits until one that makes room has ended
     */
    ConnectionShares(int max, Duration patience) {
        this.max = max;
        this.patienceNanos = patience.toNanos();
    }

    /**
     * Takes one connection for a holder that has none. If another one makes room, waits until it
     * has ended, but not for long.
     *
     * @return false if there is none, and no other holder has to make room
     * @throws InterruptedException if the thread is interrupted; then none is taken
     */
    boolean take(ClientAddress host, Holder holder) throws InterruptedException {
        Optional<Standing> displaced = Optional.empty();
        lock.lock();
        try {
            if (count >= max) {
                displaced = displaced(host);
                if (displaced.isEmpty()) {
                    return false;
                }
                remove(displaced.get().host, displaced.get().holder);
                ending.add(displaced.get().holder);
            }
            holders.computeIfAbsent(host, _ -> new HashSet<>()).add(holder);
            count++;
        } finally {
            lock.unlock();
        }
        displaced.ifPresent(each -> each.holder.makeRoom());
        boolean hasRoom = false;
        try {
            awaitRoom();
            hasRoom = true;
        } finally {
            if (!hasRoom) {
                giveBack(host, holder);
            }
        }
        return true;
    }

    private void awaitRoom() throws InterruptedException {
        lock.lock();
        try {
            long left = patienceNanos;
            while (count + ending.size() > max && left > 0) {
                left = ended.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Gives a connection back when it has ended, or counts elsewhere. */
    void giveBack(ClientAddress host, Holder holder) {
        lock.lock();
        try {
            ending.remove(holder);
            remove(host, holder);
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void remove(ClientAddress host, Holder holder) {
        var own = holders.get(host);
        if (own != null && own.remove(holder)) {
            count--;
            if (own.isEmpty()) {
                holders.remove(host);
            }
        }
    }

    private Optional<Standing> displaced(ClientAddress asking) {
        int own = holders.getOrDefault(asking, Set.of()).size();
        var all = standings();
        return first(all, each -> each.isIdle && each.siblings > own + 1)
                .or(() -> first(all, each -> each.siblings > own + 1))
                .or(
                        () ->
                                first(
                                        all,
                                        each ->
                                                each.isIdle
                                                        && (own == 0 || each.host.equals(asking))));
    }

    private List<Standing> standings() {
        var all = new ArrayList<Standing>(count);
        holders.forEach(
                (host, own) -> {
                    for (var each : own) {
                        all.add(
                                new Standing(
                                        host, each, own.size(), each.isIdle(), each.lastUse()));
                    }
                });
        return all;
    }

    private static Optional<Standing> first(List<Standing> all, Predicate<Standing> which) {
        return all.stream().filter(which).min(Standing.ORDER);
    }

    /** Returns the number of connections that are taken, without those that make room. */
    int count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of connections that make room, and have not ended. */
    int ending() {
        lock.lock();
        try {
            return ending.size();
        } finally {
            lock.unlock();
        }
    }
}
