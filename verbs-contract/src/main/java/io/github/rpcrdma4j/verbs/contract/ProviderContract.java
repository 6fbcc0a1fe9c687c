package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The contract of a provider: all rules of this package. The test of a provider extends this class
 * and implements how two sides connect.
 */
public abstract class ProviderContract extends ProtectionRules {

    private static final int MANY = 200;

    /** Called by the test of a provider. */
    protected ProviderContract() {}

    @Test
    @Tag("5040-6.2-1")
    void flushesEverythingWhenThePeerCloses() throws Exception {
        for (int i = 0; i < 5; i++) {
            active.receive(i, 64);
        }
        passive.receive(0, 64);
        connect();
        active.send(1, End.pattern(4, 4));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        passive.queuePair.close();
        await(() -> active.queuePair.state() == QueuePair.State.ERROR, active);
        active.poll(0);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), ids(active.of(Operation.RECEIVE)));
        assertTrue(
                active.of(Operation.RECEIVE).stream()
                        .allMatch(each -> each.status() == Status.FLUSHED));
        assertTrue(active.queuePair.failure().isEmpty());
        active.send(8, End.pattern(4, 4));
        active.poll(0);
        assertEquals(Status.FLUSHED, active.of(Operation.SEND).getLast().status());
        assertThrows(IllegalStateException.class, () -> active.receive(9, 8));
    }

    @Test
    void completesEveryWorkRequestExactlyOnceWhenClosedInTheMiddle() throws Exception {
        for (int i = 0; i < 10; i++) {
            active.receive(1000 + i, 64);
        }
        connect();
        var target = passive.offer(End.memory(1 << 20), Access.REMOTE_WRITE);
        for (int i = 0; i < 40; i++) {
            active.write(i, End.pattern(1 << 20, i), target.handle(), target.address());
        }
        active.queuePair.close();
        active.poll(0);
        active.poll(0);
        var writes = ids(active.of(Operation.WRITE));
        assertEquals(40, writes.size());
        assertEquals(40, new HashSet<>(writes).size());
        assertEquals(10, active.count(Operation.RECEIVE));
        active.queuePair.close();
        assertEquals(QueuePair.State.ERROR, active.queuePair.state());
        assertTrue(active.queuePair.failure().isEmpty());
        await(() -> passive.queuePair.state() == QueuePair.State.ERROR, passive);
    }

    /**
     * Goal: all work completes exactly once. Method: post all kinds of work, then cause a
     * violation.
     */
    @Test
    @Tag("5040-6.2-1")
    void completesEverythingExactlyOnceOnBothEndsWhenTheConnectionIsLost() throws Exception {
        var sink = active.register(End.memory(1 << 18));
        for (int i = 0; i < 10; i++) {
            active.receive(i, 64);
            passive.receive(i, 64);
        }
        connect();
        var source = passive.offer(End.pattern(1 << 18, 1), Access.REMOTE_READ);
        var target = active.offer(End.memory(1 << 18), Access.REMOTE_WRITE);
        active.send(0, End.pattern(4, 4));
        await(() -> passive.count(Operation.RECEIVE) == 1 && active.count(Operation.SEND) == 1);
        for (int i = 0; i < 8; i++) {
            active.read(10 + i, sink, 1 << 18, source.handle(), source.address());
            active.send(20 + i, End.pattern(4, 4));
            passive.write(10 + i, End.pattern(1 << 18, i), target.handle(), target.address());
            passive.send(20 + i, End.pattern(4, 4));
        }
        active.write(30, End.pattern(1, 1), source.handle(), source.address());
        awaitLoss();
        active.poll(TURN_NANOS);
        passive.poll(TURN_NANOS);
        completedOnce(active, Operation.RECEIVE, 10);
        completedOnce(passive, Operation.RECEIVE, 10);
        completedOnce(active, Operation.READ, 8);
        completedOnce(active, Operation.SEND, 9);
        completedOnce(active, Operation.WRITE, 1);
        completedOnce(passive, Operation.WRITE, 8);
        completedOnce(passive, Operation.SEND, 8);
        nothingSucceedsBehindAFailure(active);
        nothingSucceedsBehindAFailure(passive);
    }

    private static void completedOnce(End end, Operation operation, int count) {
        var ids = ids(end.of(operation));
        assertEquals(count, ids.size(), operation + " " + ids);
        assertEquals(count, new HashSet<>(ids).size(), operation + " " + ids);
    }

    /** Checks the send queue and the receive queue separately. */
    private static void nothingSucceedsBehindAFailure(End end) {
        var lost = new boolean[2];
        for (var completion : end.completed) {
            int queue = completion.operation() == Operation.RECEIVE ? 1 : 0;
            assertFalse(lost[queue] && completion.succeeded(), "behind a failure: " + completion);
            lost[queue] |= !completion.succeeded();
        }
    }

    /** Goal: work after an unfinished Read is flushed with it, even if it was carried out. */
    @Test
    @Tag("5040-6.2-1")
    @Tag("5040-5.5-3")
    void completesNothingSuccessfullyBehindAFlushedRead() throws Exception {
        var sink = active.register(End.memory(1 << 10));
        passive.receive(1, 64);
        connect();
        var source = passive.offer(End.pattern(1 << 10, 1), Access.REMOTE_READ);
        active.read(1, sink, 1 << 10, source.handle(), source.address());
        active.send(2, End.pattern(4, 4));
        active.queuePair.close();
        active.poll(0);
        assertEquals(List.of(1L, 2L), ids(active.completed));
        nothingSucceedsBehindAFailure(active);
        if (!differs(Difference.PROGRESSES_ALONE)) {
            assertEquals(Status.FLUSHED, active.completed.getFirst().status());
            assertEquals(Status.FLUSHED, active.completed.getLast().status());
        }
    }

    @Test
    @Tag("8267-6.7.1-1")
    @Tag("5040-6.2-2")
    void deliversWhatWasSentBeforeTheClose() throws Exception {
        var buffer = passive.receive(1, 100_000);
        connect();
        var data = End.pattern(100_000, 6);
        active.send(1, data);
        active.queuePair.close();
        await(() -> passive.queuePair.state() == QueuePair.State.ERROR, passive);
        passive.poll(0);
        assertEquals(Status.SUCCESS, passive.of(Operation.RECEIVE).getFirst().status());
        assertEquals(-1, data.mismatch(buffer));
    }

    @Test
    @Tag("5044-7.1.4-1")
    void exchangesPrivateData() throws Exception {
        byte[] out = bytes(End.pattern(requestDataMax(), 1));
        byte[] back = bytes(End.pattern(acceptDataMax(), 2));
        var seen = new ArrayList<byte[]>();
        byte[] got =
                connect(
                        active.queuePair,
                        listener.address(),
                        out,
                        listener,
                        request -> {
                            seen.add(request.privateData());
                            request.accept(passive.queuePair, back);
                        });
        privateDataArrived(out, seen.getFirst());
        privateDataArrived(back, got);
        assertEquals(listener.address(), active.queuePair.peer());
        assertEquals(QueuePair.State.READY, active.queuePair.state());
        assertEquals(QueuePair.State.READY, passive.queuePair.state());
    }

    @Test
    void rejectsWithPrivateData() {
        byte[] why = bytes(End.pattern(20, 2));
        var rejected =
                assertThrows(
                        RdmaException.Rejected.class,
                        () ->
                                connect(
                                        active.queuePair,
                                        listener.address(),
                                        NOTHING,
                                        listener,
                                        request -> request.reject(why)));
        privateDataArrived(why, rejected.privateData());
    }

    @Test
    void refusesPrivateDataThatDoesNotFit() throws Exception {
        byte[] tooLong = new byte[QueuePair.PRIVATE_DATA_MAX + 1];
        assertThrows(
                IllegalArgumentException.class,
                () -> active.queuePair.connect(listener.address(), tooLong, SETUP));
        connect(
                active.queuePair,
                listener.address(),
                NOTHING,
                listener,
                request -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> request.accept(passive.queuePair, tooLong));
                    assertThrows(IllegalArgumentException.class, () -> request.reject(tooLong));
                    request.accept(passive.queuePair, NOTHING);
                    assertThrows(IllegalStateException.class, () -> request.reject(NOTHING));
                });
        assertEquals(QueuePair.State.READY, active.queuePair.state());
    }

    @Test
    @Tag("5044-7.1.2-6")
    void givesUpConnectingWithoutAnAnswer() {
        assertThrows(
                RdmaException.TimedOut.class,
                () -> active.queuePair.connect(listener.address(), NOTHING, Duration.ofMillis(50)));
        assertEquals(QueuePair.State.INITIALIZED, active.queuePair.state());
    }

    @Test
    void losesTheConnectionOnAReadThatWasNotAgreedOn() throws Exception {
        try (var one = new End(provider, 0, 0)) {
            var sink = one.register(End.memory(8));
            connect(one, passive, NOTHING, NOTHING);
            one.read(1, sink, 8, 1, 1);
            await(() -> one.count(Operation.READ) == 1, one, passive);
            assertEquals(Status.FLUSHED, one.of(Operation.READ).getFirst().status());
            assertEquals(QueuePair.State.ERROR, one.queuePair.state());
            one.queuePair.close();
            one.completionQueue.close();
        }
    }

    @Test
    void acceptsNothingOnceClosed() {
        listener.close();
        assertThrows(RdmaException.class, () -> listener.accept(Duration.ZERO));
        listener.close();
    }

    @Test
    void failsToConnectWithoutAListener() throws Exception {
        var nobody = provider.listen(anyPort());
        var address = nobody.address();
        nobody.close();
        assertThrows(
                RdmaException.Unreachable.class,
                () -> active.queuePair.connect(address, NOTHING, SETUP));
    }

    @Test
    void givesUpAcceptingWhenTheTimeIsUp() throws Exception {
        assertTrue(listener.accept(Duration.ZERO).isEmpty());
        assertTrue(listener.accept(Duration.ofMillis(20)).isEmpty());
    }

    @Test
    @Tag("5044-7.1.2-2")
    void refusesWorkBeforeItIsConnectedAndBeyondItsQueues() throws Exception {
        assertThrows(IllegalStateException.class, () -> active.send(1, End.pattern(1, 1)));
        for (int i = 0; i < End.RECEIVE_QUEUE; i++) {
            active.receive(i, 8);
        }
        assertThrows(IllegalStateException.class, () -> active.receive(99, 8));
        connect();
        var sink = Sge.of(active.register(End.memory(8)));
        var source = passive.offer(End.memory(8), Access.REMOTE_READ);
        var requests = new ArrayList<WorkRequest>();
        for (int i = 0; i <= End.SEND_QUEUE; i++) {
            requests.add(new WorkRequest.Read(i, sink, source.handle(), source.address()));
        }
        assertThrows(IllegalStateException.class, () -> active.queuePair.post(requests));
    }

    @Test
    void refusesMemoryThatThePollingThreadCannotTouch() throws Exception {
        connect();
        var heap = MemorySegment.ofArray(new byte[8]);
        try (var arena = Arena.ofConfined()) {
            var confined = arena.allocate(8);
            for (var memory : List.of(heap, confined)) {
                assertThrows(IllegalArgumentException.class, () -> active.register(memory));
            }
        }
    }

    @Test
    void connectsOnlyOnce() throws Exception {
        connect();
        assertThrows(
                IllegalStateException.class,
                () -> active.queuePair.connect(listener.address(), NOTHING, SETUP));
    }

    @Test
    void returnsFromAPollWhenWokenAndWhenTheTimeIsUp() throws Exception {
        connect();
        assertEquals(0, active.completionQueue.poll(active.completed, TURN_NANOS));
        active.completionQueue.wakeup();
        assertEquals(0, active.completionQueue.poll(active.completed, CompletionQueue.FOREVER));
    }

    @Test
    void losesNothingWhenAPollIsInterrupted() throws Exception {
        passive.receive(1, 8);
        connect();
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> passive.completionQueue.poll(passive.completed, CompletionQueue.FOREVER));
        active.send(1, End.pattern(8, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertEquals(1, passive.completed.size());
    }

    @Test
    void refusesToPollAClosedQueue() {
        var queue = provider.createCompletionQueue();
        queue.close();
        queue.close();
        assertThrows(IllegalStateException.class, () -> queue.poll(new ArrayList<>(), 0));
    }

    @Test
    void servesManyConnectionsOnOneCompletionQueue() throws Exception {
        var queue = provider.createCompletionQueue();
        var ones = new ArrayList<End>();
        var others = new ArrayList<End>();
        for (int i = 0; i < MANY; i++) {
            var one = new End(provider, READS, READS);
            var other = new End(provider, queue, READS, READS);
            other.receive(i, 64);
            one.receive(i, 64);
            connect(one, other, NOTHING, NOTHING);
            ones.add(one);
            others.add(other);
        }
        for (int i = 0; i < MANY; i++) {
            ones.get(i).send(i, End.pattern(i % 64, i));
        }
        var first = others.getFirst();
        await(
                () ->
                        first.completed.stream()
                                        .filter(each -> each.operation() == Operation.RECEIVE)
                                        .count()
                                == MANY,
                first);
        for (var received : List.copyOf(first.completed)) {
            int number = (int) received.workRequestId();
            assertEquals(number % 64, received.length());
            assertEquals(others.get(number).queuePair, received.queuePair());
            others.get(number).send(1, End.pattern(8, number));
        }
        for (int i = 0; i < MANY; i++) {
            var one = ones.get(i);
            await(() -> one.count(Operation.RECEIVE) == 1, one);
            one.close();
            others.get(i).close();
            one.completionQueue.close();
        }
        queue.close();
    }
}
