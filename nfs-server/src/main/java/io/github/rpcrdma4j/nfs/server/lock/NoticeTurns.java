package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The order in which hosts are told of a restart of the server: their clients in turn, those with
 * the fewest addresses first, and few addresses of one client at a time. So a client with many
 * addresses does not keep the others waiting, who may reclaim for a short time only.
 *
 * <p>Times are nanoseconds since the first notice. Not thread-safe.
 */
final class NoticeTurns {
    /** How many hosts are told at a time, and how many of them of one client. */
    private static final int AT_A_TIME = 32;

    private static final int OF_CLIENT = 2;

    private static final int TRIES_MAX = 6;

    /** The pause after the first try; it doubles after each one. */
    private static final long PAUSE = Duration.ofSeconds(2).toNanos();

    /**
     * A host that has to be told.
     *
     * @param tries how often it was tried
     * @param due when it is tried next
     */
    record Notice(InetAddress host, int tries, long due) {}

    /** The addresses of one client. */
    private static final class Client {
        final PriorityQueue<Notice> waiting =
                new PriorityQueue<>(Comparator.comparingLong(Notice::due));
        int running;
    }

    /** Those with addresses that wait or are being told, the next one first. */
    private final List<Client> clients = new ArrayList<>();

    private final LinkedHashMap<Notice, Client> running = new LinkedHashMap<>();

    NoticeTurns(Collection<InetAddress> hosts) {
        var byClient = new LinkedHashMap<ClientAddress, Client>();
        for (var each : hosts) {
            byClient.computeIfAbsent(ClientAddress.of(each), _ -> new Client())
                    .waiting
                    .add(new Notice(each, 0, 0));
        }
        clients.addAll(byClient.values());
        clients.sort(Comparator.comparingInt(each -> each.waiting.size()));
    }

    /** Returns whether no host has to be told any more. */
    boolean isDone() {
        return clients.isEmpty();
    }

    /** Returns the next notice, which begins now; null if none may begin. */
    Notice next(long now) {
        if (running.size() >= AT_A_TIME) {
            return null;
        }
        for (var each : clients) {
            if (mayBegin(each) && each.waiting.peek().due <= now) {
                clients.remove(each);
                clients.add(each);
                var notice = each.waiting.remove();
                each.running++;
                running.put(notice, each);
                return notice;
            }
        }
        return null;
    }

    private static boolean mayBegin(Client client) {
        return client.running < OF_CLIENT && !client.waiting.isEmpty();
    }

    /** Returns how long it takes until one more is due; a long time if one has to end first. */
    long nanosToNext(long now) {
        long first = Long.MAX_VALUE;
        if (running.size() < AT_A_TIME) {
            for (var each : clients) {
                first = mayBegin(each) ? Math.min(first, each.waiting.peek().due) : first;
            }
        }
        return Math.max(0, first - now);
    }

    /** A notice has ended. A host that was not reached is told again, some times. */
    void ended(Notice notice, boolean isTold, long now) {
        var client = running.remove(notice);
        client.running--;
        int tries = notice.tries + 1;
        if (!isTold && tries < TRIES_MAX) {
            client.waiting.add(new Notice(notice.host, tries, now + (PAUSE << notice.tries)));
        }
        if (client.running == 0 && client.waiting.isEmpty()) {
            clients.remove(client);
        }
    }
}
