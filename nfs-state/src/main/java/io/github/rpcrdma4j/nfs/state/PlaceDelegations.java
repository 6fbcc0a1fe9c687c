package io.github.rpcrdma4j.nfs.state;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/** The delegations of the clients of each place, so that all of them can be recalled. */
final class PlaceDelegations {
    /** Those that are not recalled, and are not to be. */
    private final Map<String, SequencedSet<Delegation>> ofPlaces = new HashMap<>();

    /** Those of places whose delegations are to be recalled; some have ended. */
    private final Deque<SequencedSet<Delegation>> due = new ArrayDeque<>();

    void add(Delegation delegation) {
        ofPlaces.computeIfAbsent(delegation.client.place, _ -> new LinkedHashSet<>())
                .add(delegation);
    }

    /** A delegation is recalled, or has ended. */
    void remove(Delegation delegation) {
        ofPlaces.computeIfPresent(
                delegation.client.place,
                (_, held) -> {
                    held.remove(delegation);
                    return held.isEmpty() ? null : held;
                });
    }

    /** All delegations that a place has now are to be recalled. */
    void recallAll(String place) {
        var held = ofPlaces.remove(place);
        if (held != null) {
            due.add(held);
        }
    }

    /** Takes some of those that are to be recalled. */
    List<Delegation> takeDue(int max) {
        var taken = new ArrayList<Delegation>();
        while (taken.size() < max && !due.isEmpty()) {
            var held = due.getFirst();
            if (held.isEmpty()) {
                due.removeFirst();
            } else {
                var first = held.removeFirst();
                if (first.isHeld() && !first.isRecalled()) {
                    taken.add(first);
                }
            }
        }
        return taken;
    }
}
