package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Goal: threads that wait for answers wake each other, even without completions. Method: the test
 * posts no work, so nothing completes. Time passes only while all threads wait.
 */
class LeaderFollowersTest {
    private static final long SOON = Duration.ofMillis(10).toNanos();

    private final SimWorld world = new SimWorld(Seeds.one(), SimOptions.CALM);
    private final SteppedThreads threads = new SteppedThreads(world, 1);

    /** What {@link OnlyWaiting#await} throws after its wait; null if it works. */
    private RuntimeException bug;

    private final ConnectionLock lock =
            new ConnectionLock(
                    threads,
                    Runnable::run,
                    mistake -> {
                        if (mistake != bug) {
                            throw new AssertionError(mistake);
                        }
                        closeEndpoint();
                    });
    private final LeaderFollowers waiting = new LeaderFollowers(lock, queue(), endpoint());

    private CompletionQueue queue;
    private QueuePair queuePair;
    private Endpoint endpoint;
    private int back;

    private CompletionQueue queue() {
        queue = world.provider().createCompletionQueue();
        return queue;
    }

    private Endpoint endpoint() {
        var domain = world.provider().allocateProtectionDomain();
        var options = new QueuePairOptions(domain, queue, 1, 1, 1, 1, 1);
        queuePair = world.provider().createQueuePair(options);
        var memory = new ConnectionMemory(queuePair, domain, new SegmentPool(1 << 20));
        endpoint = new Endpoint(memory, 1024, lock::assertHeld);
        return endpoint;
    }

    private void closeEndpoint() {
        endpoint.close("a bug");
    }

    /** Starts a thread that waits once, and then leaves. */
    private Thread startToWait(String name, long nanos) {
        var thread =
                threads.unstarted(
                        name,
                        () ->
                                lock.locked(
                                        () -> {
                                            try {
                                                waiting.await(nanos);
                                            } catch (InterruptedException impossible) {
                                                throw new AssertionError(impossible);
                                            }
                                            waiting.leave();
                                            back++;
                                        }));
        thread.start();
        return thread;
    }

    private void letTimePass() {
        long end = world.nanoTime() + SOON;
        while (world.nanoTime() < end) {
            threads.park(this, end - world.nanoTime());
        }
    }

    @Test
    void closingWakesTheThreadThatPollsAndClosesWhatItPolled() {
        threads.run(
                "main",
                () -> {
                    var leader = startToWait("leader", CompletionQueue.FOREVER);
                    letTimePass();
                    lock.locked(waiting::close);
                    CallThreads.awaitEnd(leader);
                });
        assertEquals(0, world.openCompletionQueues());
    }

    @Test
    void closingClosesWhatNoThreadPolls() {
        threads.run("main", () -> lock.locked(waiting::close));
        assertEquals(0, world.openCompletionQueues());
    }

    @Test
    void aThreadInAHurryWakesTheOneThatPolls() {
        threads.run(
                "main",
                () -> {
                    var leader = startToWait("leader", CompletionQueue.FOREVER);
                    letTimePass();
                    lock.locked(waiting::processQuiet);
                    CallThreads.awaitEnd(leader);
                });
        assertEquals(1, back);
        assertTrue(world.nanoTime() < 2 * SOON);
    }

    @Test
    void aThreadThatLeavesWakesOneThatFollows() {
        threads.run(
                "main",
                () -> {
                    startToWait("leader", 2 * SOON);
                    letTimePass();
                    var follower = startToWait("follower", CompletionQueue.FOREVER);
                    CallThreads.awaitEnd(follower);
                });
        assertEquals(2, back);
    }

    /** Listens for calls of the peer alone. */
    private final class OnlyWaiting implements LeaderFollowers.Listening {
        @Override
        public void await() throws InterruptedException {
            waiting.await(bug == null ? CompletionQueue.FOREVER : SOON);
            if (bug != null) {
                throw bug;
            }
        }

        @Override
        public void deliver() {}

        @Override
        public boolean isEmpty() {
            return true;
        }
    }

    /** Goal: the listening thread receives calls of the peer once no caller polls. */
    @Test
    void aThreadThatLeavesWakesTheOneThatListens() {
        threads.run(
                "main",
                () -> {
                    startToWait("leader", 2 * SOON);
                    letTimePass();
                    lock.locked(
                            () -> {
                                endpoint.postReceive();
                                waiting.listen(new OnlyWaiting());
                            });
                    letTimePass();
                    letTimePass();
                    // Ends the listening thread; no other event ends it.
                    queuePair.close();
                });
        assertTrue(endpoint.isClosed());
    }

    /** Goal: the listening thread does not end while the connection goes on. */
    @Test
    void aBugOfThePollEndsTheConnection() {
        bug = new IllegalStateException("a queue with a bug");
        threads.run(
                "main",
                () -> {
                    lock.locked(() -> waiting.listen(new OnlyWaiting()));
                    letTimePass();
                    letTimePass();
                });
        assertTrue(endpoint.isClosed());
    }
}
