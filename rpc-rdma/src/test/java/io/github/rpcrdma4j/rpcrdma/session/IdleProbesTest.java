package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client finds out that the server of an idle connection is lost, and asks no more often
 * than it was told to. Method: a client and a server on stepped threads, for hours of virtual time.
 */
class IdleProbesTest {
    private static final int PROGRAM = 0x2000_0077;
    private static final CallProtection NONE = CallProtection.of(new Credential.None());
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final RpcCall CALL = new RpcCall(PROGRAM, 1, 1, _ -> {}, 0);

    /** With the default options, a server closes an idle connection after six minutes. */
    private static final Duration LONG_IDLE = Duration.ofMinutes(30);

    private final SimWorld world = new SimWorld(1, SimOptions.CALM);
    private final SteppedThreads threads = new SteppedThreads(world, 1);
    private final AtomicInteger probes = new AtomicInteger();

    /** Whether the server answers no more calls. */
    private boolean isSilent;

    /** A program whose NULL procedure waits while the server is silent. */
    private final class Counted extends OneVersion {
        Counted() {
            super(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return REPEATABLE;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == 0) {
                probes.incrementAndGet();
                while (isSilent) {
                    sleep(Duration.ofSeconds(1));
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    /** What a test does with a connection. */
    private interface Work {
        void with(ClientConnection connection) throws RpcException, InterruptedException;
    }

    private void sleep(Duration time) throws InterruptedException {
        long end = world.nanoTime() + time.toNanos();
        while (world.nanoTime() < end) {
            threads.park(this, end - world.nanoTime());
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static RpcRdmaOptions.Builder options() {
        return RpcRdmaOptions.DEFAULT.toBuilder().keepAlive(Duration.ofSeconds(10));
    }

    private void run(RpcRdmaOptions options, Work work) {
        threads.run("client", () -> serve(options, work));
        world.settle();
        assertEquals(0, world.openQueuePairs());
        assertEquals(0, world.openCompletionQueues());
    }

    private void serve(RpcRdmaOptions options, Work work) {
        try {
            var listener =
                    world.provider()
                            .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var server =
                    new ServerThreads(
                            threads,
                            world.provider(),
                            List.of(listener),
                            new RpcDispatcher(List.of(new Counted())),
                            new Bindings(List.of()),
                            options,
                            new SegmentPool(64 << 20),
                            ServerThreads.POLLERS_MAX);
            server.start();
            var connection =
                    ClientConnection.open(
                            threads,
                            world.provider(),
                            CalledServer.of(listener.address()),
                            NONE,
                            List.of(),
                            Optional.empty(),
                            options);
            try {
                work.with(connection);
            } finally {
                isSilent = false;
                connection.close();
                server.close();
            }
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static void call(ClientConnection connection)
            throws RpcException, InterruptedException {
        connection.call(CALL, NONE, TIMEOUT).close();
    }

    @Test
    @Tag("8267-6.7.2-1")
    void anIdleClientAsksOncePerIntervalAndKeepsItsConnection() {
        run(
                options().idleProbe(Duration.ofMinutes(1)).build(),
                connection -> {
                    call(connection);
                    sleep(LONG_IDLE);
                    assertTrue(connection.isOpen());
                    assertTrue(
                            probes.get() == 29 || probes.get() == 30, () -> probes.get() + " NULL");
                    call(connection);
                });
    }

    @Test
    @Tag("8267-6.7.2-1")
    @Tag("8267-6.7.2-4")
    void anIdleClientLosesAServerThatDoesNotAnswer() {
        run(
                options().idleProbe(Duration.ofMinutes(1)).build(),
                connection -> {
                    call(connection);
                    isSilent = true;
                    sleep(Duration.ofSeconds(69));
                    assertEquals(1, probes.get());
                    assertTrue(connection.isOpen());
                    sleep(Duration.ofSeconds(2));
                    assertFalse(connection.isOpen());
                });
    }

    @Test
    void aCallRestartsTheIntervalOfAnIdleClient() {
        run(
                options().idleProbe(Duration.ofMinutes(1)).build(),
                connection -> {
                    for (int i = 0; i < 20; i++) {
                        call(connection);
                        sleep(Duration.ofSeconds(50));
                    }
                    assertEquals(0, probes.get());
                    assertEquals(20, connection.counters().value(Counter.CALLS));
                });
    }

    @Test
    void aClientAsksOnlyIfItIsToldTo() {
        run(
                options().build(),
                connection -> {
                    call(connection);
                    sleep(LONG_IDLE);
                    assertEquals(0, probes.get());
                    assertEquals(1, connection.counters().value(Counter.CALLS));
                });
    }

    @Test
    void aClientThatHasCalledNoProgramAsksNone() {
        run(
                options().idleProbe(Duration.ofMinutes(1)).build(),
                connection -> {
                    sleep(Duration.ofMinutes(5));
                    assertEquals(0, probes.get());
                });
    }
}
