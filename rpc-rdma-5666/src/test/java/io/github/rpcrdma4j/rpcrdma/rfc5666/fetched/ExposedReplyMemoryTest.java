package io.github.rpcrdma4j.rpcrdma.rfc5666.fetched;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.responder.AnsweredCalls;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies.Bounds;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ExposedReplyMemoryTest {
    private static final int CREDITS = 3;
    private static final long TIMEOUT = 100;

    private final Counters counters = new Counters();
    private int closed;
    private int released;
    private long held;
    private QueuePair queuePair;
    private ConnectionMemory memory;
    private final ExposedReplyMemory exposures =
            new ExposedReplyMemory(
                    new Bounds(CREDITS, 1000, TIMEOUT, LateFetch.CLOSES),
                    new Held(),
                    counters,
                    _ -> closed++);

    /** Counts the bytes that the quota of the client holds. */
    private final class Held implements ConnectionQuota {
        @Override
        public int firstReceives(int receives) {
            throw new AssertionError("not asked for");
        }

        @Override
        public boolean takeReceives() {
            throw new AssertionError("not asked for");
        }

        @Override
        public boolean take(long bytes) {
            throw new AssertionError("no call was made");
        }

        @Override
        public void hold(long bytes) {
            held += bytes;
        }

        @Override
        public void answered(long bytes) {
            throw new AssertionError("no call was answered");
        }

        @Override
        public void give(long bytes) {
            held -= bytes;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void connect() throws Exception {
        var world = new SimWorld(1, SimOptions.CALM);
        var domain = world.provider().allocateProtectionDomain();
        queuePair = queuePair(world.provider(), domain);
        var other = queuePair(world.provider(), domain);
        var listener =
                world.provider().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        world.agent(() -> accept(listener, other));
        queuePair.connect(listener.address(), new byte[0], Duration.ofSeconds(1));
        memory = new ConnectionMemory(queuePair, domain, new SegmentPool(0));
    }

    private static QueuePair queuePair(RdmaProvider provider, ProtectionDomain domain) {
        return provider.createQueuePair(
                new QueuePairOptions(domain, provider.createCompletionQueue(), 1, 1, 1, 1, 1));
    }

    private static void accept(Listener listener, QueuePair queuePair) {
        try {
            var request = listener.accept(Duration.ZERO);
            if (request.isPresent()) {
                request.get().accept(queuePair, new byte[0]);
            }
        } catch (RdmaException | InterruptedException broken) {
            throw new AssertionError(broken);
        }
    }

    private ExposedReplyMemory.Exposure expose(int xid, int bytes) {
        var exposed = new ExposedMemory(memory, 1 << 20);
        exposed.expose(Arena.ofAuto().allocate(bytes), Access.REMOTE_READ);
        return exposures.expose(xid, exposed, () -> released++);
    }

    private boolean done(int xid) {
        return exposures.done(List.of(xid), OptionalInt.empty());
    }

    @Test
    void holdsMemoryUntilTheRequesterHasFetchedIt() {
        expose(7, 300).sent();
        expose(8, 200).sent();
        assertEquals(2, exposures.waiting());
        assertEquals(500, exposures.bytes());
        assertTrue(done(7));
        assertFalse(done(7));
        assertFalse(done(9));
        assertEquals(1, queuePair.boundWindows());
        assertEquals(1, released);
        assertEquals(200, exposures.bytes());
        assertEquals(200, held);
        exposures.lost();
        assertEquals(0, held);
    }

    @Test
    void fencesMemoryAtOnceAndReleasesItWhenTheSendCompletes() {
        var exposure = expose(7, 300);
        assertTrue(done(7));
        assertEquals(0, queuePair.boundWindows());
        assertEquals(0, exposures.waiting());
        assertEquals(0, released);
        assertEquals(300, held);
        exposure.sent();
        assertEquals(0, held);
        assertEquals(1, released);
        assertEquals(0, exposures.bytes());
    }

    @Test
    @Tag("5666-3.3-3")
    @Tag("5666-3.8-6")
    @Tag("5666-11-5")
    @Tag("5666-11-6")
    void grantsOneCreditLessForEachWaitingReplyButAtLeastOne() {
        assertEquals(3, exposures.grant(CREDITS));
        int xid = 0;
        for (int left : new int[] {2, 1, 1}) {
            expose(xid++, 1);
            assertEquals(left, exposures.grant(CREDITS));
        }
        exposures.lost();
        assertEquals(3, exposures.grant(CREDITS));
        assertEquals(1, exposures.grant(1));
    }

    @Test
    @Tag("5666-11-4")
    void limitsTheRepliesAndBytesThatWaitForOneRequester() {
        assertTrue(exposures.hasRoom());
        expose(1, 1200);
        assertFalse(exposures.hasRoom());
        done(1);
        exposures.lost();
        assertTrue(exposures.hasRoom());
        for (int i = 0; i < CREDITS; i++) {
            assertTrue(exposures.hasRoom());
            expose(i, 1);
        }
        assertFalse(exposures.hasRoom());
    }

    @Test
    @Tag("5666-3.8-3")
    @Tag("5666-11-8")
    void closesTheConnectionWhenAReplyIsNotFetchedInTime() {
        expose(1, 10).sent();
        assertFalse(exposures.expire(1000, 1));
        expose(2, 10).sent();
        assertFalse(exposures.expire(1000 + TIMEOUT - 1, 1));
        assertEquals(0, closed);
        assertTrue(exposures.expire(1000 + TIMEOUT, 1));
        assertEquals(1, closed);
        exposures.lost();
        assertEquals(2, released);
        assertEquals(0, queuePair.boundWindows());
    }

    /** Goal: a defect of ours leaks no memory. Method: a reply with its XID waits already. */
    @Test
    void leavesItsResultsToACallWhoseReplyCannotBeExposed() {
        expose(7, 300);
        var call = AnsweredCalls.of(7, memory.pool());
        var reply = call.reply();
        var plan = new ReadReplyPlan(true, new BitSet(), PayloadStream.of(reply));
        var placed = new ReplyPlan.Placed(List.of(), List.of(), new BitSet());
        var exposer = new ReplyExposer(memory, counters, exposures, 1 << 20);
        assertThrows(AssertionError.class, () -> exposer.expose(call, placed, plan, _ -> null));
        assertSame(reply, call.reply());
        assertEquals(1, queuePair.boundWindows());
        AnsweredCalls.release(call);
        assertEquals(0, memory.pool().leased());
    }
}
