package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Goal: nobody waits for the many changes of another host, and storage is never what it must not
 * be. Method: rounds without threads, and random changes against a model.
 */
class StorageQueueTest {
    private static final int MANY = 1000;
    private static final HostPlace EVIL = place("evil", "");
    private static final HostPlace HONEST = place("honest", "");

    private final StorageQueue queue = new StorageQueue();
    private long number;

    private record TestHost(String name) implements Host {}

    private static HostPlace place(String host, String name) {
        return new HostPlace(new TestHost(host), name);
    }

    private static ClientRecord client(String owner, long verifier) {
        return new ClientRecord(
                OpaqueName.of(owner.getBytes(StandardCharsets.UTF_8)),
                new Principal("sys:0"),
                "",
                verifier);
    }

    private Action.Persist write(HostPlace place, String owner) {
        var change = new Action.Persist(++number, client(owner, number), place);
        queue.add(change);
        return change;
    }

    private Action.Forget remove(HostPlace place, String owner) {
        var change = new Action.Forget(++number, client(owner, 0).name(), place, null);
        queue.add(change);
        return change;
    }

    private Action.ForgetEarlier removeEarlier() {
        var change = new Action.ForgetEarlier(++number);
        queue.add(change);
        return change;
    }

    private void end(StorageQueue.Round round) {
        round.replaced().forEach(queue::ended);
        round.removals().forEach(queue::ended);
        if (round.earlier() != null) {
            queue.ended(round.earlier());
        }
        round.records().forEach(queue::ended);
    }

    /** Goal: what was ordered first for a name is not carried out last. */
    @Test
    void aRemovalThatHasFailedComesBeforeTheNextOneOfItsName() {
        var first = remove(EVIL, "a");
        remove(EVIL, "b");
        end(queue.next());
        queue.failed(first);
        var beside = remove(EVIL, "a");
        var other = remove(HONEST, "c");
        assertEquals(List.of(other, first, beside), queue.next().removals());
        queue.ended(other);
        queue.failed(first);
        queue.failed(beside);
        assertEquals(List.of(first, beside), queue.failed());
        assertEquals(List.of(), queue.next().removals());
    }

    @Test
    void allRemovalsAreOfOneRound() {
        for (int i = 0; i < MANY; i++) {
            remove(EVIL, "evil " + i);
        }
        var last = remove(HONEST, "honest");
        assertFalse(queue.isTried(1, HONEST), "a grant waits for all");
        var round = queue.next();
        assertEquals(MANY + 1, round.removals().size());
        assertTrue(queue.isIdle());
        assertFalse(queue.isTried(last.number(), HONEST));
        end(round);
        assertTrue(queue.isTried(last.number(), HONEST));
    }

    @Test
    void aRemovalWaitsForNoRecord() {
        for (int i = 0; i < MANY; i++) {
            write(EVIL, "evil " + i);
        }
        var removal = remove(EVIL, "other");
        var round = queue.next();
        assertEquals(List.of(removal), round.removals());
        assertEquals(StorageQueue.RECORDS_OF_ROUND, round.records().size());
        queue.ended(removal);
        assertTrue(queue.isTried(removal.number(), HONEST));
        assertFalse(queue.isTried(removal.number(), EVIL), "its own records are not there");
    }

    @Test
    void hostsTakeTurns() {
        for (int i = 0; i < MANY; i++) {
            write(EVIL, "evil " + i);
        }
        var first = write(HONEST, "first");
        var second = write(HONEST, "second");
        var round = queue.next();
        assertTrue(round.records().containsAll(List.of(first, second)));
        end(round);
        assertTrue(queue.isTried(second.number(), HONEST));
        assertFalse(queue.isTried(second.number(), EVIL));
    }

    @Test
    void theManyPlacesOfANetworkHaveTheTurnsOfOneHost() {
        for (int i = 0; i < MANY; i++) {
            write(place("network", "evil " + i), "evil " + i);
        }
        var honest = new ArrayList<Action.Persist>();
        for (int i = 0; i < StorageQueue.RECORDS_OF_ROUND / 2; i++) {
            honest.add(write(HONEST, "honest " + i));
        }
        assertTrue(queue.next().records().containsAll(honest));
    }

    @Test
    void placesOfANetworkTakeTurns() {
        for (int i = 0; i < MANY; i++) {
            write(place("network", "evil"), "evil " + i);
        }
        var honest = write(place("network", "honest"), "honest");
        assertTrue(queue.next().records().contains(honest));
    }

    @Test
    void aRecordThatIsRemovedBeforeItsTurnIsNotWritten() {
        var record = write(EVIL, "client");
        var removal = remove(EVIL, "client");
        var again = write(EVIL, "client");
        var round = queue.next();
        assertEquals(List.of(record), round.replaced());
        assertEquals(List.of(removal), round.removals());
        assertEquals(List.of(again), round.records());
        assertFalse(queue.isTried(record.number(), EVIL));
        end(round);
        assertTrue(queue.isTried(again.number(), EVIL));
        assertTrue(queue.isIdle());
    }

    /** Else a client that has reclaimed all would have no record after a crash. */
    @Test
    void earlierRecordsGoAfterThoseThatCameBefore() {
        for (int i = 0; i < MANY; i++) {
            write(EVIL, "evil " + i);
        }
        var last = write(HONEST, "honest");
        var earlier = removeEarlier();
        var later = write(place("other", ""), "later");
        var written = new ArrayList<Action.Persist>();
        StorageQueue.Round round;
        do {
            assertFalse(queue.isTried(earlier.number(), HONEST));
            round = queue.next();
            if (round.earlier() == null) {
                written.addAll(round.records());
                assertFalse(round.records().contains(later));
            }
            end(round);
        } while (round.earlier() == null);
        assertEquals(MANY + 1, written.size());
        assertEquals(last, written.getLast(), "in their order");
        assertEquals(List.of(later), round.records());
    }

    @Test
    void aRemovalThatFailedIsKeptUntilItSucceeds() {
        var one = remove(EVIL, "one");
        var two = remove(HONEST, "two");
        var round = queue.next();
        round.removals().forEach(queue::failed);
        assertTrue(queue.isTried(two.number(), HONEST));
        assertTrue(queue.hasFailed(one.number()) && !queue.hasFailed(one.number() - 1));
        assertEquals(List.of(one, two), queue.failed());
        queue.ended(one);
        assertFalse(queue.hasFailed(one.number()));
        assertTrue(queue.hasFailed(two.number()));
        queue.ended(two);
        assertFalse(queue.hasFailed());
    }

    @Test
    void theOperatorLearnsWhoseChangesWait() {
        assertEquals("0 removals and 0 new records wait", queue.waiting());
        var many = place("network", "2001:db8::1");
        write(many, "a");
        write(place("host", "192.0.2.1"), "b");
        for (int i = 0; i < 3; i++) {
            remove(many, "c" + i);
        }
        var wait = "3 removals and 2 new records wait, 4 of them of 2001:db8::1";
        assertEquals(wait, queue.waiting());
        queue.next().removals().forEach(queue::failed);
        assertEquals(wait, queue.waiting());
    }

    /** Storage, and what it may and must have by the order of the changes. */
    private final class Model {
        private final Map<ClientName, ClientRecord> storage = new HashMap<>();
        private final Set<ClientName> earlier = new HashSet<>();

        /** The changes of each name, in their order. */
        private final Map<ClientName, TreeMap<Long, Action.Storage>> changes = new HashMap<>();

        private final Set<Long> carriedOut = new HashSet<>();

        void add(Action.Storage change, ClientName name) {
            changes.computeIfAbsent(name, _ -> new TreeMap<>()).put(change.number(), change);
        }

        void carryOut(Action.Storage change) {
            assertTrue(carriedOut.add(change.number()), "once");
            switch (change) {
                case Action.Persist record -> {
                    storage.put(record.client().name(), record.client());
                    earlier.remove(record.client().name());
                }
                case Action.Forget removal -> storage.remove(removal.client());
                case Action.ForgetEarlier _ -> {
                    storage.keySet().removeAll(earlier);
                    earlier.clear();
                }
            }
        }

        /** No removed record may be there, once a call was told that it is gone. */
        void check(long upTo, Set<Long> tried) {
            changes.forEach(
                    (name, ofName) -> {
                        var last = ofName.lastEntry().getValue();
                        if (last instanceof Action.Forget && last.number() <= upTo) {
                            assertNull(storage.get(name), () -> name + " after " + last);
                        }
                        if (last instanceof Action.Persist record
                                && tried.contains(last.number())) {
                            assertEquals(record.client(), storage.get(name));
                        }
                    });
        }
    }

    @RepeatedTest(50)
    void storageIsWhatTheChangesOfEachNameSayInTheirOrder(RepetitionInfo repetition) {
        long seed = 0x5eed + repetition.getCurrentRepetition();
        var random = new Random(seed);
        var model = new Model();
        var places = List.of(EVIL, HONEST, place("network", "a"), place("network", "b"));
        for (int i = 0; i < 5; i++) {
            var old = client("earlier " + i, 0);
            model.storage.put(old.name(), old);
            model.earlier.add(old.name());
        }
        int grace = random.nextInt(200);
        var reclaimed = new ArrayList<Action.Persist>();
        var tried = new HashSet<Long>();
        for (int step = 0; step < 600; step++) {
            var place = places.get(random.nextInt(places.size()));
            int choice = random.nextInt(10);
            if (step == grace) {
                removeEarlier();
            } else if (choice < 5) {
                boolean isEarlier = step < grace && random.nextInt(4) == 0;
                var owner = (isEarlier ? "earlier " : "client ") + random.nextInt(5);
                var record = write(place, owner);
                model.add(record, record.client().name());
                if (isEarlier) {
                    reclaimed.add(record);
                }
            } else if (choice < 8) {
                var removal = remove(place, "client " + random.nextInt(5));
                model.add(removal, removal.client());
            } else if (!queue.isIdle()) {
                carryOut(queue.next(), model, tried);
            }
        }
        while (!queue.isIdle()) {
            carryOut(queue.next(), model, tried);
        }
        assertTrue(queue.isTried(number, EVIL) && queue.isTried(number, HONEST), "seed " + seed);
        for (var each : reclaimed) {
            assertNotNull(model.storage.get(each.client().name()), "seed " + seed);
        }
    }

    /** Carries a round out, and looks at storage after each step. */
    private void carryOut(StorageQueue.Round round, Model model, Set<Long> tried) {
        round.replaced().forEach(queue::ended);
        for (var each : round.removals()) {
            model.carryOut(each);
            queue.ended(each);
        }
        if (round.earlier() != null) {
            var before = Set.copyOf(model.earlier);
            model.carryOut(round.earlier());
            queue.ended(round.earlier());
            model.changes.forEach(
                    (name, changes) ->
                            assertFalse(
                                    before.contains(name)
                                            && changes.firstKey() < round.earlier().number(),
                                    "a record that came before was not written"));
        }
        for (var each : round.records()) {
            model.carryOut(each);
            queue.ended(each);
            tried.add(each.number());
        }
        long upTo = 0;
        while (upTo < number && queue.isTried(upTo + 1, EVIL)) {
            upTo++;
        }
        model.check(upTo, tried);
    }
}
