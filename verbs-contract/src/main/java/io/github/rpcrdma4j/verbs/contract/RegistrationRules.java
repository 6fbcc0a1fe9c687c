package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The rules of registration: which memory work requests may use, and which memory can be opened to
 * a peer.
 */
abstract class RegistrationRules extends TransferRules {
    void connectForWrite() throws Exception {
        passive.receive(1, 16);
        active.receive(1, 16);
        connect();
    }

    @Test
    @Tag("5040-5.2.1-3")
    void refusesAReadIntoWhatIsNotItsSink() throws Exception {
        var readOnly = active.register(End.memory(64).asReadOnly());
        var closed = active.register(End.memory(64));
        closed.close();
        var foreign = passive.register(End.memory(64));
        connect();
        var source = passive.offer(End.pattern(64, 1), Access.REMOTE_READ);
        for (var sink : List.of(readOnly, closed, foreign)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.read(1, sink, 16, source.handle(), source.address()));
        }
        assertEquals(QueuePair.State.READY, active.queuePair.state());
    }

    @Test
    void anElementLiesWithinItsRegion() {
        var region = active.register(End.memory(64));
        assertEquals(64, Sge.of(region).length());
        assertEquals(0, new Sge(region, 64, 0).length());
        for (long[] wrong :
                new long[][] {{49, 16}, {-1, 16}, {0, 65}, {0, -1}, {65, 0}, {1, Long.MAX_VALUE}}) {
            assertThrows(IllegalArgumentException.class, () -> new Sge(region, wrong[0], wrong[1]));
        }
    }

    /** Goal: work uses only registered memory of its own domain, as adapters require. */
    @Test
    void refusesWorkWithMemoryThatIsNotRegisteredForIt() throws Exception {
        connect();
        var readOnly = active.register(End.memory(64).asReadOnly());
        var closed = active.register(End.memory(64));
        closed.close();
        var foreign = passive.register(End.memory(64));
        for (var region : List.of(closed, foreign)) {
            var gather = List.of(Sge.of(region));
            for (var request :
                    List.of(
                            new WorkRequest.Send(1, gather),
                            new WorkRequest.Write(1, gather, 1, 1))) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> active.queuePair.post(List.of(request)));
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.queuePair.bind(region, 0, 64, Set.of(Access.REMOTE_READ)));
        }
        for (var region : List.of(readOnly, closed, foreign)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.queuePair.postReceive(1, region, 0, 64));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.queuePair.bind(region, 0, 64, Set.of(Access.REMOTE_WRITE)));
        }
        assertEquals(QueuePair.State.READY, active.queuePair.state());
    }

    @Test
    void aReceiveLiesWithinItsRegion() {
        var region = active.register(End.memory(64));
        for (long[] wrong : new long[][] {{49, 16}, {-1, 16}, {0, 65}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.queuePair.postReceive(1, region, wrong[0], wrong[1]));
        }
    }

    @Test
    void aWindowLiesWithinItsRegionAndKeepsItRegistered() throws Exception {
        connect();
        var region = active.register(End.memory(64));
        var read = Set.of(Access.REMOTE_READ);
        for (long[] wrong : new long[][] {{49, 16}, {-1, 16}, {0, 65}, {0, -1}}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> active.queuePair.bind(region, wrong[0], wrong[1], read));
        }
        var one = active.queuePair.bind(region, 0, 32, read);
        var other = active.queuePair.bind(region, 16, 48, read);
        assertEquals(2, active.queuePair.boundWindows());
        assertThrows(IllegalStateException.class, region::close);
        one.invalidate();
        one.invalidate();
        assertThrows(IllegalStateException.class, region::close);
        assertTrue(region.isValid());
        other.invalidate();
        region.close();
        assertFalse(region.isValid());
        assertEquals(0, active.queuePair.boundWindows());
    }

    @Test
    void aPeerReachesNothingBesideTheWindow() throws Exception {
        connectForWrite();
        var memory = End.memory(64);
        var region = passive.register(memory);
        var window = passive.queuePair.bind(region, 16, 16, Set.of(Access.REMOTE_WRITE));
        active.write(1, End.pattern(16, 5), window.handle(), window.address());
        active.send(2, End.pattern(1, 1));
        await(() -> passive.count(Operation.RECEIVE) == 1);
        assertArrayEquals(bytes(End.pattern(16, 5)), bytes(memory.asSlice(16, 16)));
        active.write(3, End.pattern(1, 7), window.handle(), window.address() + 16);
        awaitLoss();
        assertArrayEquals(new byte[32], bytes(memory.asSlice(32)));
        assertArrayEquals(new byte[16], bytes(memory.asSlice(0, 16)));
        window.invalidate();
    }

    @Test
    void refusesTheWindowOfAnotherQueuePair() throws Exception {
        connect();
        var foreign = passive.offer(End.memory(64), Access.REMOTE_READ);
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        active.queuePair.post(
                                List.of(new WorkRequest.Invalidate(1, foreign.window()))));
        assertTrue(foreign.window().isValid());
    }

    @Test
    void bindsNoWindowBeforeItIsConnected() {
        var region = active.register(End.memory(64));
        assertThrows(
                IllegalStateException.class,
                () -> active.queuePair.bind(region, 0, 64, Set.of(Access.REMOTE_READ)));
    }
}
