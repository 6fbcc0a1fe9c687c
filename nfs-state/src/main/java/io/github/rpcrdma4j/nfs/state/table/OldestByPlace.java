package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.oncrpc.share.Host;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * What the places of one host have, such as clients that are kept by courtesy. Hosts of a network
 * of IPv6 share what one {@link Host} may have: the place with the most makes room, so none pushes
 * out what a neighbor has few of.
 *
 * @param <T> what they have
 */
public final class OldestByPlace<T> {
    private static final Comparator<Part<?>> FULLEST =
            Comparator.<Part<?>>comparingInt(each -> each.size)
                    .reversed()
                    .thenComparingLong(each -> each.since)
                    .thenComparing(each -> each.place);

    /** Those of one place, the oldest first. */
    private static final class Part<T> {
        final String place;
        final SequencedSet<T> members = new LinkedHashSet<>();

        /** What the order depends on. It does not change while the part is in the order. */
        int size;

        long since;

        Part(String place) {
            this.place = place;
        }
    }

    private final Map<String, Part<T>> parts = new HashMap<>();

    /** The fullest first, and of equal ones that with the oldest one. */
    private final TreeSet<Part<T>> order = new TreeSet<>(FULLEST);

    private final Function<T, String> place;
    private final ToLongFunction<T> since;
    private int size;

    /**
     * @param place tells whose one is
     * @param since tells its age, which does not change while it is here
     */
    public OldestByPlace(Function<T, String> place, ToLongFunction<T> since) {
        this.place = place;
        this.since = since;
    }

    public int size() {
        return size;
    }

    public void add(T member) {
        var part = parts.computeIfAbsent(place.apply(member), Part<T>::new);
        order.remove(part);
        if (part.members.add(member)) {
            size++;
        }
        putInOrder(part);
    }

    /** Takes one out; harmless if it is not there. */
    public void remove(T member) {
        var part = parts.get(place.apply(member));
        if (part == null) {
            return;
        }
        order.remove(part);
        if (part.members.remove(member)) {
            size--;
        }
        putInOrder(part);
    }

    private void putInOrder(Part<T> part) {
        if (part.members.isEmpty()) {
            parts.remove(part.place);
            return;
        }
        part.size = part.members.size();
        part.since = since.applyAsLong(part.members.getFirst());
        order.add(part);
    }

    /** Returns all in the order in which they make room for others. */
    public Stream<T> inOrder() {
        return order.stream().flatMap(each -> each.members.stream());
    }

    /** Returns the one that makes room for another one: the oldest of the place with the most. */
    public T surplus() {
        return order.getFirst().members.getFirst();
    }
}
