package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: many peers that send nothing, or receive nothing, do not exclude an honest client, and stay
 * within their memory limits. Method: a server with little memory, and more peers than fit.
 */
class CrowdTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofMillis(500);
    private static final long MIB = 1 << 20;
    private static final RpcRdmaOptions OPTIONS = RpcRdmaOptions.DEFAULT;

    private final RdmaProvider provider = new IwarpProvider();
    private final List<AutoCloseable> crowd = new ArrayList<>();
    private RpcRdmaServer server;
    private MemoryBudget budget;

    /** A peer that connects and sends nothing. */
    private final class Mute implements AutoCloseable {
        private final ProtectionDomain domain = provider.allocateProtectionDomain();
        private final CompletionQueue queue = provider.createCompletionQueue();
        private final QueuePair pair =
                provider.createQueuePair(new QueuePairOptions(domain, queue, 1, 1, 1, 1, 1));

        Mute() throws RdmaException, InterruptedException {
            pair.connect(server.address(), new byte[0], TIMEOUT);
        }

        @Override
        public void close() {
            pair.close();
            queue.close();
            domain.close();
        }
    }

    private void serve(long bytes, RpcRdmaOptions options) throws Exception {
        serve(bytes, options, provider);
    }

    private void serve(long bytes, RpcRdmaOptions options, RdmaProvider serving) throws Exception {
        budget = new MemoryBudget(bytes);
        server =
                Connections.listen(
                        serving,
                        ManualPeer.LOOPBACK,
                        new RpcDispatcher(List.of(new EchoProgram())),
                        List.of(EchoProgram.BINDING),
                        options,
                        new SegmentPool(8 * MIB, budget));
    }

    private static RpcRdmaOptions stalling(Duration take) {
        var usual = PeerLimits.DEFAULT;
        return OPTIONS.toBuilder()
                .peerLimits(
                        new PeerLimits(
                                usual.connectionsMax(),
                                usual.callsMax(),
                                usual.bytesMax(),
                                take,
                                usual.readTimeout()))
                .build();
    }

    @AfterEach
    void checkNothingLeaks() throws Exception {
        for (var each : crowd) {
            each.close();
        }
        await(() -> server.openConnections() == 0 && server.clients() == 0);
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private RpcRdmaClient connect() throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                OPTIONS);
    }

    private void isServed() throws Exception {
        try (var client = connect()) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
    }

    private long count(Counter counter) {
        return server.statistics().value(counter);
    }

    @Test
    void silentConnectionsBeyondTheMemoryMakeRoomForAnHonestClient() throws Exception {
        serve(64 * MIB, OPTIONS);
        for (int i = 0; i < 100; i++) {
            crowd.add(new Mute());
            assertTrue(budget.used() <= budget.limit());
        }
        isServed();
        // The server may not have noticed yet that this client closed its connection.
        await(this::canBeServed);
        assertTrue(count(Counter.CONNECTIONS_IDLE) > 0);
        assertTrue(server.openConnections() < 100);
    }

    /** Goal: a server survives an exhausted budget. Method: a budget below the planned size. */
    @Test
    void aBudgetThatIsUsedUpCostsConnectionsAndNotTheServer() throws Exception {
        serve(MIB, OPTIONS);
        for (int i = 0; i < 60; i++) {
            try {
                crowd.add(new Mute());
            } catch (RdmaException.Rejected _) {
                // The server has no memory for another connection.
            }
            try {
                isServed();
            } catch (RpcException _) {
                // The server has no memory for the receives of a calling client.
            }
            assertTrue(budget.used() <= budget.limit());
        }
        for (var each : crowd) {
            each.close();
        }
        crowd.clear();
        await(this::canBeServed);
        assertFalse(server.failure().toCompletableFuture().isDone());
    }

    private boolean canBeServed() {
        try {
            isServed();
            return true;
        } catch (RpcException _) {
            return false;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void silentConnectionsBeyondTheNumberMakeRoomForAnHonestClient() throws Exception {
        serve(64 * MIB, OPTIONS.toBuilder().connectionsMax(10).build());
        for (int i = 0; i < 30; i++) {
            crowd.add(new Mute());
        }
        isServed();
        assertTrue(server.openConnections() <= 10);
    }

    @Test
    void aSilentConnectionHoldsFewReceives() throws Exception {
        serve(512 * MIB, OPTIONS);
        crowd.add(new Mute());
        await(() -> server.openConnections() == 1);
        assertEquals(OPTIONS.sizes().firstReceives(), server.leasedMemory());
        try (var client = connect()) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
            await(
                    () ->
                            server.leasedMemory()
                                    >= OPTIONS.sizes().firstReceives() + OPTIONS.credits());
        }
    }

    @Test
    void endsAConnectionThatIsIdleForTooLongAndNoOther() throws Exception {
        serve(64 * MIB, OPTIONS.toBuilder().idleTimeout(SOON).build());
        crowd.add(new Mute());
        try (var busy = connect()) {
            await(
                    () -> {
                        try {
                            busy.call(EchoProgram.nullCall(), TIMEOUT).close();
                        } catch (Exception failure) {
                            throw new AssertionError(failure);
                        }
                        return count(Counter.CONNECTIONS_IDLE) == 1;
                    });
            busy.call(EchoProgram.nullCall(), TIMEOUT).close();
            assertEquals(1, server.openConnections());
            await(() -> count(Counter.CONNECTIONS_IDLE) == 2);
        }
    }

    /** Fetches more than the sockets hold; the server posts all receives at the first call. */
    private void fetch(SilentPeer silent) {
        long calls = count(Counter.CALLS);
        long ended = count(Counter.CONNECTIONS_ENDED);
        silent.fetch((int) MIB);
        await(() -> count(Counter.CALLS) > calls || count(Counter.CONNECTIONS_ENDED) > ended);
        for (int n = 1; n < 16; n++) {
            silent.fetch((int) MIB);
        }
    }

    /**
     * Goal: peers that hold all memory, and are never idle, make room for a client that holds none.
     * Method: a take timeout that is longer than the test, so that it ends no peer.
     */
    @Test
    void stalledClientsMakeRoomForAnHonestOne() throws Exception {
        serve(
                64 * MIB,
                stalling(Duration.ofHours(1)),
                new FarClients(provider, come -> InetAddress.ofLiteral("10.0.0." + (1 + come))));
        for (int i = 0; i < 24; i++) {
            try {
                var silent = new SilentPeer(provider, server.address());
                crowd.add(silent);
                fetch(silent);
            } catch (RdmaException.Rejected _) {
                // The earlier peers hold all memory.
            }
        }
        await(() -> count(Counter.CALLS_DELAYED) > 0);
        await(this::canBeServed);
        // A peer is counted when its connection has ended, and others may be served before that.
        await(() -> count(Counter.PEERS_STALLED) > 0);
    }

    /** Goal: stalled connections end together, not one after the other. Method: 20 peers. */
    @Test
    void stalledConnectionsEndTogether() throws Exception {
        serve(512 * MIB, stalling(SOON));
        int stalled = 20;
        for (int i = 0; i < stalled; i++) {
            var silent = new SilentPeer(provider, server.address());
            crowd.add(silent);
            for (int n = 0; n < 5; n++) {
                silent.fetch((int) MIB);
            }
        }
        await(() -> count(Counter.PEERS_STALLED) > 0);
        long start = System.nanoTime();
        await(() -> server.openConnections() == 0);
        long nanos = System.nanoTime() - start;
        assertEquals(stalled, count(Counter.PEERS_STALLED));
        assertTrue(nanos < Duration.ofSeconds(5).toNanos(), "it took " + nanos / 1_000_000 + " ms");
    }
}
