package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.driver.CallPermits.Permit;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.testing.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: calls of one kind leave the permits of the other one, and no host takes all. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallPermitsTest {
    private final CallPermits permits = new CallPermits();

    private record TestHost(int number) implements Host {}

    private record Network() implements Host {
        @Override
        public boolean isNetwork() {
            return true;
        }
    }

    private record TestFile(int number) implements FileKey {
        @Override
        public Object store() {
            return number;
        }
    }

    private static HostPlace host(int number) {
        return new HostPlace(new TestHost(number), "");
    }

    /** Returns a place in one network. */
    private static HostPlace place(int number) {
        return new HostPlace(new Network(), "place " + number);
    }

    private static Action.Recall recall(long client, int file) {
        return new Action.Recall(client, new TestFile(file), new StateId(1, client, file));
    }

    private int take(Permit permit, int host) {
        int taken = 0;
        while (permits.take(permit, Optional.of(host(host)))) {
            taken++;
        }
        return taken;
    }

    /** Whole table: what one client gets, and all clients of its host. */
    @Test
    void aClientAndAHostGetSoManyCalls() {
        assertEquals(16, take(new Permit.Other(1), 1));
        assertFalse(permits.take(new Permit.Other(2), Optional.empty()), "there is no such client");
        int taken = 16;
        for (long client = 2; client <= 64; client++) {
            taken += take(new Permit.Other(client), 1);
        }
        assertEquals(64, taken);
        assertTrue(take(new Permit.Question(1, host(9)), 1) > 0, "a question");
        permits.giveBack(new Permit.Other(1));
        assertEquals(1, take(new Permit.Other(1), 1));
        assertTrue(take(new Permit.Other(1000), 2) > 0, "another host");
    }

    /** Whole table: what one host gets that asks, all that ask, and all clients of a host. */
    @Test
    void whoAsksLeavesPermitsToOthers() {
        assertFalse(permits.take(new Permit.Question(1, host(1)), Optional.empty()));
        int taken = 0;
        var shares = List.of(8, 6, 4, 3, 2, 2);
        for (int asker = 1; asker <= 45; asker++) {
            int share = asker <= shares.size() ? shares.get(asker - 1) : 1;
            assertEquals(share, take(new Permit.Question(1, host(asker)), 100), "asker " + asker);
            taken += share;
        }
        assertEquals(64, taken);
        assertEquals(0, take(new Permit.Question(1, host(46)), 100), "all of the client's host");
        assertEquals(0, take(new Permit.Question(2, host(46)), 100), "another client of its host");
        assertTrue(take(new Permit.Other(1), 100) > 0, "another kind of call");
        permits.giveBack(new Permit.Question(1, host(45)));
        assertEquals(1, take(new Permit.Question(1, host(46)), 100));
        assertEquals(0, take(new Permit.Question(1, host(45)), 100));
        assertTrue(take(new Permit.Question(3, host(1)), 101) > 0, "another host");
    }

    /** Whole table: whether there is a permit at once, later, or not in time. */
    @Test
    void aQuestionWaitsForAPlace() throws Exception {
        var question = new Permit.Question(1, host(1));
        var asked = Optional.of(host(100));
        long forEver = Long.MAX_VALUE / 4;
        for (int i = 0; i < 8; i++) {
            assertTrue(permits.take(question, asked, i == 0 ? 0 : forEver));
        }
        assertFalse(permits.take(question, asked, 1));
        assertFalse(permits.take(question, Optional.empty(), forEver), "there is no such client");
        var waiting = Thread.ofVirtual().start(() -> await(question, asked));
        Eventually.await(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        permits.giveBack(question);
        waiting.join();
        assertFalse(permits.take(question, asked), "the one that has waited has it");
    }

    private void await(Permit.Question question, Optional<HostPlace> asked) {
        try {
            assertTrue(permits.take(question, asked, Long.MAX_VALUE / 4));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Each end of a call looks at all that wait. */
    @Test
    void onlySoManyOfAHostWait() throws Exception {
        var question = new Permit.Question(1, host(1));
        var asked = Optional.of(host(100));
        assertEquals(8, take(question, 100));
        var waiting = new ArrayList<Thread>();
        for (int i = 0; i < 32; i++) {
            waiting.add(Thread.ofVirtual().start(() -> await(question, asked)));
        }
        for (var each : waiting) {
            Eventually.await(() -> each.getState() == Thread.State.TIMED_WAITING);
        }
        assertFalse(permits.take(question, asked, Long.MAX_VALUE / 4));
        for (var each : waiting) {
            each.interrupt();
            each.join();
        }
    }

    /** Whole table: the end of which call, or of which wait, lets one that waits go on. */
    @Test
    void whoWaitsForASlotGoesOnWhenACallToThatClientHasEnded() throws Exception {
        for (long client = 1; client <= 2; client++) {
            var permit = new Permit.Other(client);
            assertTrue(permits.take(permit, Optional.of(host(1))));
            try (var ends = permits.watch(1)) {
                long seen = ends.count();
                permits.giveBack(permit);
                ends.await(seen, 1);
                assertEquals(client == 1 ? seen + 1 : seen, ends.count(), "client " + client);
            }
        }
        try (var ends = permits.watch(1)) {
            long seen = ends.count();
            permits.watch(2).close();
            ends.await(seen, 1);
            assertEquals(seen, ends.count());
            permits.watch(1).close();
            ends.await(seen, Long.MAX_VALUE / 4);
            assertEquals(seen + 1, ends.count());
        }
    }

    /** The first one that can have it, and no other. */
    @Test
    void aPlaceGoesToOneQuestionThatCanHaveIt() throws Exception {
        var asked = Optional.of(host(100));
        var other = Optional.of(host(101));
        var one = new Permit.Question(1, host(1));
        var two = new Permit.Question(2, host(1));
        assertEquals(8, take(one, 100));
        assertEquals(8, take(two, 101));
        var gone = new LinkedBlockingQueue<Integer>();
        var waiting = new ArrayList<Thread>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            waiting.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        if (number % 2 == 0) {
                                            await(one, asked);
                                        } else {
                                            await(two, other);
                                        }
                                        gone.add(number);
                                    }));
            Eventually.await(() -> waiting.getLast().getState() == Thread.State.TIMED_WAITING);
        }
        for (int number : List.of(1, 3, 5)) {
            permits.giveBack(two);
            assertEquals(number, gone.take());
        }
        for (int number : List.of(0, 2, 4)) {
            permits.giveBack(one);
            assertEquals(number, gone.take());
        }
        assertFalse(permits.take(one, asked), "the last one has it");
        assertFalse(permits.take(two, other), "the last one has it");
    }

    /** It has the permit at the same time, and gives it back. */
    @Test
    void aQuestionThatIsInterruptedKeepsNoPlace() throws Exception {
        var question = new Permit.Question(1, host(1));
        var asked = Optional.of(host(100));
        for (int i = 0; i < 100; i++) {
            assertEquals(8, take(question, 100));
            var waiting = Thread.ofVirtual().start(() -> await(question, asked));
            Eventually.await(() -> waiting.getState() == Thread.State.TIMED_WAITING);
            var interrupting = Thread.ofVirtual().start(waiting::interrupt);
            for (int j = 0; j < 8; j++) {
                permits.giveBack(question);
            }
            waiting.join();
            interrupting.join();
            if (permits.take(question, asked)) {
                permits.giveBack(question);
            }
            int left = take(question, 100);
            assertTrue(left == 7 || left == 8, "free: " + left);
            for (int j = 0; j < 8; j++) {
                permits.giveBack(question);
            }
        }
    }

    /** Whole table: what each kind of call leaves to the others, when its permits are taken. */
    @Test
    void noKindOfCallTakesThePermitsOfAnother() {
        var kinds =
                List.<Permit>of(
                        new Permit.Other(1), new Permit.Recall(1), new Permit.Question(1, host(7)));
        for (var taken : kinds) {
            for (var other : kinds) {
                var all = new CallPermits();
                while (all.take(taken, Optional.of(host(1)))) {
                    // Takes all.
                }
                assertEquals(
                        other != taken, all.take(other, Optional.of(host(1))), taken + " " + other);
            }
        }
    }

    /** The neighbors of a client have all that their network may have, from many places. */
    @Test
    void aPlaceHasAPermitForRecallsHoweverManyItsNeighborsHave() {
        for (int client = 1; client <= 2000; client++) {
            while (permits.take(new Permit.Recall(client), Optional.of(place(client)))) {
                // Takes all.
            }
        }
        assertTrue(permits.take(new Permit.Recall(5000), Optional.of(place(5000))));
        assertFalse(permits.take(new Permit.Recall(5000), Optional.of(place(5000))));
        assertTrue(permits.take(new Permit.Recall(6000), Optional.of(host(1))), "another host");
        assertEquals(15, take(new Permit.Recall(6000), 1), "as many as ever");
    }

    /** A client with many recalls does not keep others of its place waiting for all of them. */
    @Test
    void recallsGetPermitsInTheTurnsOfTheirClients() {
        var begun = new ArrayList<Action.Recall>();
        for (int client = 1; client <= 4; client++) {
            for (int file = 0; file < 18; file++) {
                boolean isIn = permits.takeOrWait(recall(client, file), host(1));
                assertEquals(file < 16, isIn, "client " + client + ", file " + file);
            }
        }
        assertFalse(permits.takeOrWait(recall(5, 0), host(1)), "all of the host are taken");
        assertFalse(permits.takeOrWait(recall(5, 1), host(1)));
        assertTrue(permits.takeOrWait(recall(6, 0), host(2)), "another host");
        assertEquals(List.of(), permits.giveBack(new Permit.Recall(6)), "of another host");
        assertEquals(List.of(recall(2, 16)), permits.giveBack(new Permit.Recall(2)));
        for (int i = 0; i < 4; i++) {
            begun.addAll(permits.giveBack(new Permit.Recall(1)));
        }
        assertEquals(
                List.of(recall(1, 16), recall(5, 0), recall(1, 17), recall(5, 1)),
                begun,
                "clients with 16 in progress have to wait for their own");
        assertEquals(List.of(recall(3, 16)), permits.giveBack(new Permit.Recall(3)));
        assertEquals(List.of(), permits.giveBack(new Permit.Other(9)));
    }

    /** A place asks from many addresses, or all the time. */
    @Test
    void eachPlaceOfANetworkAsksOneQuestionWhateverItsNeighborsAsk() {
        var asked = Optional.of(host(100));
        int ofFirst = 0;
        while (permits.take(new Permit.Question(1, place(0)), asked)) {
            ofFirst++;
        }
        assertEquals(6, ofFirst, "three quarters of eight");
        for (int number = 1; number <= 300; number++) {
            assertTrue(permits.take(new Permit.Question(1, place(number)), asked), "" + number);
        }
        assertFalse(permits.take(new Permit.Question(1, place(3)), asked));
        assertEquals(6, take(new Permit.Question(1, host(2)), 100), "another host, as before");
        permits.giveBack(new Permit.Question(1, place(3)));
        assertTrue(permits.take(new Permit.Question(1, place(3)), asked));
        for (int number = 0; number <= 300; number++) {
            permits.giveBack(new Permit.Question(1, place(number)));
        }
        for (int i = 1; i < ofFirst; i++) {
            permits.giveBack(new Permit.Question(1, place(0)));
        }
        for (int i = 0; i < 6; i++) {
            permits.giveBack(new Permit.Question(1, host(2)));
        }
        assertEquals(8, take(new Permit.Question(1, host(1)), 100), "all are given back");
    }
}
