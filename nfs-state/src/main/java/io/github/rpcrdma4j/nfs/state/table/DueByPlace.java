package io.github.rpcrdma4j.nfs.state.table;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What each place has, so that all that a place has now can be taken from it later: delegations,
 * which are recalled a few at a time.
 *
 * @param <T> what places have
 */
public final class DueByPlace<T> {
    /** Those that are not to be taken. */
    private final Map<String, SequencedSet<T>> ofPlaces = new HashMap<>();

    /** Those of places that lose all; some have ended. */
    private final Deque<SequencedSet<T>> due = new ArrayDeque<>();

    private final Function<T, String> place;
    private final Predicate<T> isDue;

    /**
     * @param place tells whose one is
     * @param isDue whether one has not ended, and is not taken
     */
    public DueByPlace(Function<T, String> place, Predicate<T> isDue) {
        this.place = place;
        this.isDue = isDue;
    }

    /** Notes one. */
    public void add(T one) {
        ofPlaces.computeIfAbsent(place.apply(one), _ -> new LinkedHashSet<>()).add(one);
    }

    /** One is taken, or has ended. */
    public void remove(T one) {
        ofPlaces.computeIfPresent(
                place.apply(one),
                (_, held) -> {
                    held.remove(one);
                    return held.isEmpty() ? null : held;
                });
    }

    /** All that a place has now is to be taken. */
    public void takeAll(String place) {
        var held = ofPlaces.remove(place);
        if (held != null) {
            due.add(held);
        }
    }

    /** Takes some of those that are to be taken. */
    public List<T> takeDue(int max) {
        var taken = new ArrayList<T>();
        while (taken.size() < max && !due.isEmpty()) {
            var held = due.getFirst();
            if (held.isEmpty()) {
                due.removeFirst();
            } else {
                var first = held.removeFirst();
                if (isDue.test(first)) {
                    taken.add(first);
                }
            }
        }
        return taken;
    }
}
