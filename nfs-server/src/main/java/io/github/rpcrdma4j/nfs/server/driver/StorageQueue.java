package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The changes of client records that are still to be carried out, in rounds. A round has all
 * removals that wait, because grants of all hosts wait for them, and then a few records: the hosts
 * take turns, and in a network its places do. So nobody waits for the many changes of another one.
 *
 * <p>Each name has the order of its own changes. A record whose removal is ordered before its turn
 * is not written. When the grace period ends, all records that were ordered before are written
 * first.
 *
 * <pre>
 *   add --> waiting --next--> in a round --ended--> (done)
 *              |                  |  ^
 *              |                  |  `-------- again
 *              |                  `--failed--> removal that has failed
 *              `--replaced, next--> (not written)
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class StorageQueue {
    /** How many records a round has at most: each takes the time of a write of storage. */
    static final int RECORDS_OF_ROUND = 8;

    /** The removals that wait, without the one at the end of grace, in their order. */
    private final Deque<Action.Forget> removals = new ArrayDeque<>();

    /** The removal of all earlier records that waits; null if there is none. */
    private Action.ForgetEarlier earlier;

    /** The records that wait, in their order. */
    private final TreeMap<Long, Action.Persist> records = new TreeMap<>();

    private final Map<ClientName, Action.Persist> byName = new HashMap<>();

    /** The same, by host and by place. Whose turn it is comes first. */
    private final SequencedMap<Host, SequencedMap<HostPlace, Deque<Action.Persist>>> turns =
            new LinkedHashMap<>();

    /** The records that are not written, because others come in their place or none does. */
    private final List<Action.Persist> replaced = new ArrayList<>();

    /** The removals that were not tried so far. */
    private final TreeMap<Long, Action.Storage> untriedRemovals = new TreeMap<>();

    /** The numbers of the records of each place that were not tried so far. */
    private final Map<HostPlace, TreeSet<Long>> untriedRecords = new HashMap<>();

    /** The removals that have failed so far. */
    private final TreeMap<Long, Action.Storage> failed = new TreeMap<>();

    /**
     * What is carried out next, in the order of the fields.
     *
     * @param replaced the records that are not written
     * @param removals the records to remove
     * @param earlier the removal of all earlier records, or null
     * @param records the records to write
     */
    record Round(
            List<Action.Persist> replaced,
            List<Action.Forget> removals,
            Action.ForgetEarlier earlier,
            List<Action.Persist> records) {}

    /** Adds a change. Numbers ascend. */
    void add(Action.Storage change) {
        switch (change) {
            case Action.Forget removal -> {
                replace(removal.client());
                removals.add(removal);
                untriedRemovals.put(removal.number(), removal);
            }
            case Action.ForgetEarlier removal -> {
                earlier = removal;
                untriedRemovals.put(removal.number(), removal);
            }
            case Action.Persist record -> {
                replace(record.client().name());
                records.put(record.number(), record);
                byName.put(record.client().name(), record);
                turns.computeIfAbsent(record.place().host(), _ -> new LinkedHashMap<>())
                        .computeIfAbsent(record.place(), _ -> new ArrayDeque<>())
                        .add(record);
                untriedRecords
                        .computeIfAbsent(record.place(), _ -> new TreeSet<>())
                        .add(record.number());
            }
        }
    }

    private void replace(ClientName name) {
        var record = byName.get(name);
        if (record != null) {
            take(record);
            replaced.add(record);
        }
    }

    /** Takes a record out of those that wait. */
    private void take(Action.Persist record) {
        forget(record);
        var place = record.place();
        var places = turns.get(place.host());
        var own = places.get(place);
        own.remove(record);
        if (own.isEmpty()) {
            places.remove(place);
        }
        if (places.isEmpty()) {
            turns.remove(place.host());
        }
    }

    private void forget(Action.Persist record) {
        records.remove(record.number());
        byName.remove(record.client().name());
    }

    /** Returns whether no change waits. */
    boolean isIdle() {
        return removals.isEmpty() && earlier == null && records.isEmpty() && replaced.isEmpty();
    }

    /** Takes the changes of the next round. */
    Round next() {
        var round =
                new Round(List.copyOf(replaced), takeRemovals(), takeEarlier(), new ArrayList<>());
        replaced.clear();
        while (round.records.size() < RECORDS_OF_ROUND && !records.isEmpty()) {
            if (earlier == null) {
                round.records.add(takeTurn());
            } else if (records.firstKey() < earlier.number()) {
                var first = records.firstEntry().getValue();
                take(first);
                round.records.add(first);
            } else {
                break;
            }
        }
        return round;
    }

    /**
     * Takes all removals that wait. One of a name whose removal has failed comes last, behind that
     * one: tried later, that one would undo it.
     */
    private List<Action.Forget> takeRemovals() {
        var again = new TreeMap<Long, Action.Forget>();
        var names = new HashSet<ClientName>();
        removals.forEach(each -> names.add(each.client()));
        for (var each : failed.values()) {
            if (each instanceof Action.Forget removal && names.contains(removal.client())) {
                again.put(removal.number(), removal);
            }
        }
        names.clear();
        again.values().forEach(each -> names.add(each.client()));
        var taken = new ArrayList<Action.Forget>();
        for (var each : removals) {
            if (names.contains(each.client())) {
                again.put(each.number(), each);
            } else {
                taken.add(each);
            }
        }
        removals.clear();
        taken.addAll(again.values());
        return taken;
    }

    /** Takes the removal of earlier records, unless records that come before it still wait. */
    private Action.ForgetEarlier takeEarlier() {
        if (earlier == null || !records.isEmpty() && records.firstKey() < earlier.number()) {
            return null;
        }
        var taken = earlier;
        earlier = null;
        return taken;
    }

    private Action.Persist takeTurn() {
        var host = turns.pollFirstEntry();
        var places = host.getValue();
        var place = places.pollFirstEntry();
        var record = place.getValue().remove();
        if (!place.getValue().isEmpty()) {
            places.putLast(place.getKey(), place.getValue());
        }
        if (!places.isEmpty()) {
            turns.putLast(host.getKey(), places);
        }
        forget(record);
        return record;
    }

    /** A change of a round, or a removal that had failed, is on storage, or was given up. */
    void ended(Action.Storage change) {
        tried(change);
        failed.remove(change.number());
    }

    /** A removal of a round has failed, or once more. */
    void failed(Action.Storage removal) {
        tried(removal);
        failed.put(removal.number(), removal);
    }

    private void tried(Action.Storage change) {
        if (change instanceof Action.Persist record) {
            untriedRecords.computeIfPresent(
                    record.place(),
                    (_, numbers) -> {
                        numbers.remove(record.number());
                        return numbers.isEmpty() ? null : numbers;
                    });
        } else {
            untriedRemovals.remove(change.number());
        }
    }

    /** Returns the removals that have failed so far, in their order. */
    List<Action.Storage> failed() {
        return List.copyOf(failed.values());
    }

    boolean hasFailed() {
        return !failed.isEmpty();
    }

    /** Returns whether a removal up to a number has failed so far. */
    boolean hasFailed(long number) {
        return !failed.isEmpty() && failed.firstKey() <= number;
    }

    /** Returns whether all removals up to a number were tried, and all such records of a place. */
    boolean isTried(long number, HostPlace place) {
        var own = untriedRecords.get(place);
        return (untriedRemovals.isEmpty() || untriedRemovals.firstKey() > number)
                && (own == null || own.first() > number);
    }

    /** Describes what waits, for the operator: how many changes, and who has the most of them. */
    String waiting() {
        var ofPlaces = new HashMap<HostPlace, Integer>();
        untriedRecords.forEach((place, numbers) -> ofPlaces.put(place, numbers.size()));
        int ofRecords = ofPlaces.values().stream().mapToInt(each -> each).sum();
        var undone = new ArrayList<>(untriedRemovals.values());
        undone.addAll(failed.values());
        for (var each : undone) {
            if (each instanceof Action.Forget removal) {
                ofPlaces.merge(removal.place(), 1, Integer::sum);
            }
        }
        var text = undone.size() + " removals and " + ofRecords + " new records wait";
        return ofPlaces.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> text + ", " + most.getValue() + " of them of " + name(most.getKey()))
                .orElse(text);
    }

    private static String name(HostPlace place) {
        return place.name().isEmpty() ? "one host" : place.name();
    }
}
