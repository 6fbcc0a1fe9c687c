package io.github.rpcrdma4j.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: a world has a clock, faults and a trace, beyond the contract of providers. */
class SimWorldTest {
    private static final byte[] NOTHING = {};
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SENDS = 20;
    private static final int RUNS = 200;

    private interface Answer {
        void to(ConnectRequest request) throws RdmaException;
    }

    /** Two queue pairs on one completion queue in one world. */
    private static final class Pair {
        final SimWorld world;
        final ProtectionDomain domain;
        final CompletionQueue queue;
        final QueuePair active;
        final QueuePair passive;
        final Listener listener;
        final List<Completion> completed = new ArrayList<>();

        Pair(long seed, SimOptions options) throws RdmaException {
            world = new SimWorld(seed, options);
            domain = world.provider().allocateProtectionDomain();
            queue = world.provider().createCompletionQueue();
            var each = new QueuePairOptions(domain, queue, SENDS, SENDS, 4, 4, 1);
            active = world.provider().createQueuePair(each);
            passive = world.provider().createQueuePair(each);
            listener =
                    world.provider()
                            .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }

        void answering(Answer answer) {
            world.agent(
                    () -> {
                        try {
                            var request = listener.accept(Duration.ZERO);
                            if (request.isPresent()) {
                                answer.to(request.get());
                            }
                        } catch (RdmaException _) {
                            // The listener was closed.
                        } catch (InterruptedException impossible) {
                            throw new AssertionError(impossible);
                        }
                    });
        }

        Pair connected() throws Exception {
            answering(request -> request.accept(passive, NOTHING));
            active.connect(listener.address(), NOTHING, SECOND);
            return this;
        }

        Sge element(int length) {
            return Sge.of(domain.register(memory(length)));
        }

        void receive(QueuePair at, long id, MemorySegment buffer) {
            at.postReceive(id, domain.register(buffer), 0, buffer.byteSize());
        }

        /** Binds a window over memory of the passive end. */
        MemoryWindow offer(MemorySegment memory, Access... access) {
            var region = domain.register(memory);
            return passive.bind(region, 0, memory.byteSize(), Set.of(access));
        }

        void drain() throws InterruptedException {
            world.settle();
            queue.poll(completed, 0);
        }
    }

    private static MemorySegment memory(int length) {
        return Arena.ofAuto().allocate(length);
    }

    /** Runs receives, Sends and Reads, and closes both ends. Returns the trace. */
    private static List<String> story(long seed, SimOptions options) throws Exception {
        var pair = new Pair(seed, options);
        var lines = new ArrayList<String>();
        pair.world.trace(lines::add);
        pair.connected();
        var window = pair.offer(memory(64), Access.REMOTE_READ);
        for (int i = 0; i < SENDS; i++) {
            pair.receive(pair.passive, i, memory(8));
        }
        for (int i = 0; i < SENDS / 2; i++) {
            pair.active.post(
                    List.of(
                            new WorkRequest.Send(100 + i, List.of(pair.element(8))),
                            new WorkRequest.Read(
                                    200 + i, pair.element(8), window.handle(), window.address())));
        }
        pair.drain();
        pair.active.close();
        pair.passive.close();
        pair.drain();
        assertEquals(0, pair.world.openQueuePairs());
        assertEquals(2 * SENDS, pair.completed.size());
        var ids = new HashSet<Long>();
        pair.completed.forEach(each -> assertTrue(ids.add(each.workRequestId())));
        lines.add("the end at " + pair.world.nanoTime());
        return lines;
    }

    @Test
    void repeatsEveryEventForTheSameSeed() throws Exception {
        long seed = Seeds.one();
        var options = SimOptions.CALM.withLossPerMillion(20_000);
        assertEquals(story(seed, options), story(seed, options));
        assertNotEquals(story(seed, options), story(seed + 1, options));
    }

    /** Goal: a loss can happen at any moment, and each work request completes exactly once. */
    @Test
    void completesAllWorkWhenALossHappensAtAnyMoment() throws Exception {
        long seed = Seeds.one();
        var lengths = new HashSet<Integer>();
        int lost = 0;
        for (int i = 0; i < RUNS; i++) {
            var lines = story(seed + i, SimOptions.CALM.withLossPerMillion(50_000));
            int success = (int) lines.stream().filter(line -> line.contains("SUCCESS")).count();
            lengths.add(success);
            lost += success < 2 * SENDS - SENDS / 2 ? 1 : 0;
        }
        assertTrue(lost > RUNS / 4, "lost connections: " + lost);
        assertTrue(lengths.size() > 5, "different moments: " + lengths.size());
    }

    @Test
    void losesNothingWhenCalm() throws Exception {
        var lines = story(Seeds.one(), SimOptions.CALM);
        assertTrue(lines.stream().noneMatch(line -> line.contains("was lost")));
    }

    @Test
    void copiesBytesOnlyWhenTheyLeave() throws Exception {
        var pair = new Pair(Seeds.one(), SimOptions.CALM).connected();
        var buffer = memory(8);
        pair.receive(pair.passive, 1, buffer);
        var message = memory(8);
        var element = Sge.of(pair.domain.register(message));
        pair.active.post(List.of(new WorkRequest.Send(2, List.of(element))));
        message.fill((byte) 0x77);
        pair.drain();
        assertEquals(0x7777_7777_7777_7777L, buffer.get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void scribblesOverTheWindowButKeepsTheWrittenBytes() throws Exception {
        boolean changed = false;
        for (long seed = 1; seed < 10; seed++) {
            var pair = new Pair(seed, SimOptions.CALM.withScribbles()).connected();
            var memory = memory(64);
            var window = pair.offer(memory, Access.REMOTE_WRITE);
            pair.receive(pair.passive, 1, memory(8));
            for (int at = 0; at < 16; at += 8) {
                var data = memory(8);
                data.fill((byte) (at + 1));
                pair.active.post(
                        List.of(
                                new WorkRequest.Write(
                                        2,
                                        List.of(Sge.of(pair.domain.register(data))),
                                        window.handle(),
                                        window.address() + at)));
            }
            pair.active.post(List.of(new WorkRequest.Send(3, List.of())));
            pair.drain();
            assertEquals(0x0101_0101_0101_0101L, memory.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(0x0909_0909_0909_0909L, memory.get(ValueLayout.JAVA_LONG, 8));
            changed |= memory.get(ValueLayout.JAVA_LONG, 56) != 0;
        }
        assertTrue(changed);
    }

    @Test
    void invalidatesAWindowAfterAWriteIntoClosedMemory() throws Exception {
        var pair = new Pair(Seeds.one(), SimOptions.CALM).connected();
        MemoryWindow window;
        try (var arena = Arena.ofShared()) {
            window = pair.offer(arena.allocate(8), Access.REMOTE_WRITE);
        }
        pair.active.post(
                List.of(
                        new WorkRequest.Write(
                                1, List.of(pair.element(8)), window.handle(), window.address())));
        assertThrows(IllegalStateException.class, pair.world::settle);
        assertTimeoutPreemptively(SECOND, window::invalidate);
    }

    @Test
    void waitsInVirtualTimeOnly() throws Exception {
        var world = new SimWorld(1, SimOptions.CALM);
        var queue = world.provider().createCompletionQueue();
        long hour = Duration.ofHours(1).toNanos();
        assertEquals(0, queue.poll(new ArrayList<>(), hour));
        assertEquals(hour, world.nanoTime());
    }

    /** Goal: the clock counts transits between the ends, and nothing else. */
    @Test
    void takesOneLatencyForASendOrWriteAndTwoForARead() throws Exception {
        long latency = 1000;
        var pair = new Pair(Seeds.one(), SimOptions.distant(latency)).connected();
        assertEquals(2 * latency, pair.world.nanoTime());
        var window = pair.offer(memory(64), Access.REMOTE_READ, Access.REMOTE_WRITE);
        pair.receive(pair.passive, 1, memory(8));
        pair.active.post(
                List.of(
                        new WorkRequest.Write(
                                2, List.of(pair.element(8)), window.handle(), window.address()),
                        new WorkRequest.Send(3, List.of(pair.element(8)))));
        pair.drain();
        assertEquals(3 * latency, pair.world.nanoTime());
        pair.active.post(
                List.of(
                        new WorkRequest.Read(
                                4, pair.element(8), window.handle(), window.address())));
        pair.drain();
        assertEquals(5 * latency, pair.world.nanoTime());
    }

    @Test
    void failsAnAcceptAfterTheClientTimedOut() throws Exception {
        var pair = new Pair(Seeds.one(), SimOptions.CALM);
        var late = new ArrayList<ConnectRequest>();
        pair.answering(late::add);
        assertThrows(
                RdmaException.TimedOut.class,
                () -> pair.active.connect(pair.listener.address(), NOTHING, SECOND));
        assertThrows(
                RdmaException.ConnectionLost.class,
                () -> late.getFirst().accept(pair.passive, NOTHING));
        assertEquals(QueuePair.State.INITIALIZED, pair.passive.state());
    }

    @Test
    void failsPendingConnectsWhenTheListenerCloses() throws Exception {
        var pair = new Pair(Seeds.one(), SimOptions.CALM);
        pair.answering(_ -> pair.listener.close());
        assertThrows(
                RdmaException.ConnectionLost.class,
                () -> pair.active.connect(pair.listener.address(), NOTHING, SECOND));
        assertTrue(pair.world.nanoTime() < SECOND.toNanos());
    }

    @Test
    void deliversSendsOfThePassiveSideRightAfterItAccepts() throws Exception {
        for (long seed = 0; seed < RUNS; seed++) {
            var pair = new Pair(seed, SimOptions.CALM);
            var buffer = memory(8);
            var message = memory(8);
            message.fill((byte) 5);
            pair.receive(pair.active, 1, buffer);
            var element = Sge.of(pair.domain.register(message));
            pair.answering(
                    request -> {
                        request.accept(pair.passive, NOTHING);
                        pair.passive.post(List.of(new WorkRequest.Send(2, List.of(element))));
                        pair.passive.close();
                    });
            pair.active.connect(pair.listener.address(), NOTHING, SECOND);
            pair.drain();
            assertArrayEquals(
                    message.toArray(ValueLayout.JAVA_BYTE), buffer.toArray(ValueLayout.JAVA_BYTE));
            assertTrue(pair.active.failure().isEmpty());
        }
    }

    /**
     * Goal: completions keep the contract's order at every moment of a loss. Method: without
     * delays, events run in the order in which they were caused. The test ends the connection after
     * each number of events.
     */
    @Test
    void completesNothingWithSuccessAfterFlushedWork() throws Exception {
        boolean flushed = false;
        boolean succeeded = false;
        for (int steps = 0; !succeeded; steps++) {
            var pair = new Pair(1, SimOptions.distant(0)).connected();
            var window = pair.offer(memory(64), Access.REMOTE_READ);
            pair.receive(pair.passive, 1, memory(8));
            pair.active.post(
                    List.of(
                            new WorkRequest.Read(
                                    2, pair.element(8), window.handle(), window.address()),
                            new WorkRequest.Send(3, List.of(pair.element(8)))));
            for (int i = 0; i < steps; i++) {
                assertTrue(pair.world.step());
            }
            pair.active.close();
            pair.queue.poll(pair.completed, 0);
            var ends =
                    pair.completed.stream()
                            .filter(each -> each.queuePair() == pair.active)
                            .map(Completion::succeeded)
                            .toList();
            assertNotEquals(List.of(false, true), ends, "after " + steps + " steps");
            flushed |= ends.equals(List.of(false, false));
            succeeded = ends.equals(List.of(true, true));
        }
        assertTrue(flushed);
    }

    @Test
    void reportsTheReasonOfALossAtBothEnds() throws Exception {
        var pair = new Pair(Seeds.one(), SimOptions.CALM).connected();
        pair.active.post(List.of(new WorkRequest.Send(1, List.of(pair.element(4)))));
        pair.drain();
        var reason = "the peer sent a message for which no receive was posted";
        assertEquals(reason, pair.passive.failure().orElseThrow());
        assertEquals(
                "the peer ended the connection: " + reason, pair.active.failure().orElseThrow());
        assertFalse(pair.completed.isEmpty());
    }
}
