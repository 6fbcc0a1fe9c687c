package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Clients of one host by the places that they came from. Hosts of a network of IPv6 share what one
 * {@link Host} may have: the place with the most makes room, so none pushes out what a neighbor has
 * few of.
 */
final class ClientsByPlace {
    private static final Comparator<Part> FULLEST =
            Comparator.<Part>comparingInt(each -> each.size)
                    .reversed()
                    .thenComparingLong(each -> each.since)
                    .thenComparing(each -> each.place);

    /** Those of one place, the oldest first. */
    private static final class Part {
        final String place;
        final SequencedSet<Client> clients = new LinkedHashSet<>();

        /** What the order depends on. It does not change while the part is in the order. */
        int size;

        long since;

        Part(String place) {
            this.place = place;
        }
    }

    private final Map<String, Part> parts = new HashMap<>();

    /** The fullest first, and of equal ones that with the oldest client. */
    private final TreeSet<Part> order = new TreeSet<>(FULLEST);

    private int size;

    int size() {
        return size;
    }

    void add(Client client) {
        var part = parts.computeIfAbsent(client.place, Part::new);
        order.remove(part);
        if (part.clients.add(client)) {
            size++;
        }
        putInOrder(part);
    }

    /** Takes a client out; harmless if it is not there. */
    void remove(Client client) {
        var part = parts.get(client.place);
        if (part == null) {
            return;
        }
        order.remove(part);
        if (part.clients.remove(client)) {
            size--;
        }
        putInOrder(part);
    }

    private void putInOrder(Part part) {
        if (part.clients.isEmpty()) {
            parts.remove(part.place);
            return;
        }
        part.size = part.clients.size();
        part.since = part.clients.getFirst().renewed;
        order.add(part);
    }

    /** Returns the clients in the order in which they make room for others. */
    Stream<Client> inOrder() {
        return order.stream().flatMap(each -> each.clients.stream());
    }

    /**
     * Returns the client that makes room for another one: the oldest of the place with the most.
     */
    Client surplus() {
        return order.getFirst().clients.getFirst();
    }
}
