package io.github.rpcrdma4j.nfs.server.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.nfs.server.v4.CallPermits.Permit;
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

    private static TestHost host(int number) {
        return new TestHost(number);
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
        var asked = Optional.<Host>of(host(100));
        long forEver = Long.MAX_VALUE / 4;
        for (int i = 0; i < 8; i++) {
            assertTrue(permits.take(question, asked, i == 0 ? 0 : forEver));
        }
        assertFalse(permits.take(question, asked, 1));
        assertFalse(permits.take(question, Optional.empty(), forEver), "there is no such client");
        var waiting = Thread.ofVirtual().start(() -> await(question, asked));
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        permits.giveBack(question);
        waiting.join();
        assertFalse(permits.take(question, asked), "the one that has waited has it");
    }

    private void await(Permit.Question question, Optional<Host> asked) {
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
        var asked = Optional.<Host>of(host(100));
        assertEquals(8, take(question, 100));
        var waiting = new ArrayList<Thread>();
        for (int i = 0; i < 32; i++) {
            waiting.add(Thread.ofVirtual().start(() -> await(question, asked)));
        }
        for (var each : waiting) {
            while (each.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
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
        var asked = Optional.<Host>of(host(100));
        var other = Optional.<Host>of(host(101));
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
            while (waiting.getLast().getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
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
        var asked = Optional.<Host>of(host(100));
        for (int i = 0; i < 100; i++) {
            assertEquals(8, take(question, 100));
            var waiting = Thread.ofVirtual().start(() -> await(question, asked));
            while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
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
}
