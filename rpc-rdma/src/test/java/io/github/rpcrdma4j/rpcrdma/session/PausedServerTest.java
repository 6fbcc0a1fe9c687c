package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Conditions.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server that was stopped for a time does not blame its clients for that time. Method: its
 * clock goes on by an hour at once, as after SIGSTOP and SIGCONT.
 */
class PausedServerTest {
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long STEP = Duration.ofSeconds(4).toNanos();
    private static final long PATROL_NANOS = Duration.ofMillis(10).toNanos();
    private static final int MIB = 1 << 20;

    private final IwarpProvider provider = new IwarpProvider();
    private final AtomicLong ahead = new AtomicLong();
    private final AtomicInteger patrols = new AtomicInteger();
    private ServerThreads server;
    private SilentPeer peer;

    /** The threads of the machine, with a clock that a test sets, and with frequent patrols. */
    private final class ClockAhead implements Threads {
        @Override
        public RandomGenerator random() {
            return OF_MACHINE.random();
        }

        @Override
        public int processors() {
            return OF_MACHINE.processors();
        }

        @Override
        public long nanoTime() {
            return OF_MACHINE.nanoTime() + ahead.get();
        }

        @Override
        public void park(Object blocker, long nanos) {
            boolean isPatrol = Thread.currentThread().getName().equals("rpcrdma-patrol");
            if (isPatrol) {
                patrols.incrementAndGet();
            }
            OF_MACHINE.park(blocker, isPatrol ? Math.min(nanos, PATROL_NANOS) : nanos);
        }

        @Override
        public Thread unstarted(String name, Runnable work) {
            return OF_MACHINE.unstarted(name, work);
        }

        @Override
        public CallThreads callThreads(String name, FailureLog failures) {
            return OF_MACHINE.callThreads(name, failures);
        }
    }

    @BeforeEach
    void serve() throws Exception {
        var listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server =
                new ServerThreads(
                        new ClockAhead(),
                        provider,
                        listener,
                        new RpcDispatcher(List.of(new EchoProgram())),
                        new Bindings(List.of(EchoProgram.BINDING)),
                        RpcRdmaOptions.DEFAULT,
                        new SegmentPool(256L * MIB),
                        ServerThreads.POLLERS_MAX);
        server.start();
        peer = new SilentPeer(provider, listener.address());
        await(() -> server.openConnections() == 1);
    }

    @AfterEach
    void close() {
        peer.close();
        server.close();
    }

    private void passes(long nanos) {
        ahead.addAndGet(nanos);
        int before = patrols.get();
        // The first may have begun earlier.
        await(() -> patrols.get() >= before + 3);
    }

    private long stalled() {
        return server.counters().value(Counter.PEERS_STALLED);
    }

    @Test
    void aBusyPeerKeepsItsConnectionOverAPauseAndNotForEver() throws Exception {
        int calls = 5;
        for (int i = 0; i < calls; i++) {
            peer.fetch(MIB);
        }
        await(() -> server.counters().value(Counter.CALLS) == calls);
        // The peer's socket takes a part of the first result.
        for (int i = 0; i < 20; i++) {
            passes(0);
        }
        passes(HOUR);
        assertEquals(0, stalled());
        assertEquals(1, server.openConnections());
        int steps = 0;
        while (stalled() == 0) {
            passes(STEP);
            assertTrue(++steps < 100, "a stalled peer is let be");
        }
        assertTrue(steps > 3, "only the hour counted");
    }

    @Test
    void anIdlePeerKeepsItsConnectionOverAPauseAndNotForEver() {
        passes(0);
        passes(HOUR);
        assertEquals(1, server.openConnections());
        int steps = 0;
        while (server.openConnections() > 0) {
            passes(STEP);
            assertTrue(++steps < 1000, "an idle peer is let be");
        }
        assertTrue(steps > 3, "only the hour counted");
    }
}
