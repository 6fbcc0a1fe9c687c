package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server bounds the resources that one client holds, and the time for which it holds them.
 * Method: hostile clients over iWARP.
 */
class PeerLimitsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofMillis(400);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int SIZE = 1 << 20;
    private static final PeerLimits USUAL = PeerLimits.DEFAULT;

    private final RdmaProvider provider = new IwarpProvider();
    private final Gate gate = new Gate();
    private RpcRdmaServer server;

    /** An {@link EchoProgram} whose calls wait at a gate; counts the calls at the gate. */
    private static final class Gate implements RpcProgram {
        final EchoProgram behind = new EchoProgram();
        final Semaphore open = new Semaphore(0);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        Optional<PeerIdentifier> identifier = Optional.empty();

        @Override
        public ProgramId id() {
            return behind.id();
        }

        @Override
        public Optional<PeerIdentifier> identifier() {
            return identifier;
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            try {
                open.acquire();
                return behind.call(request, results);
            } finally {
                inside.decrementAndGet();
            }
        }
    }

    /** An {@link EchoProgram} with its binding. */
    private static final class BoundEcho implements RpcProgram {
        private final EchoProgram echo = new EchoProgram();

        @Override
        public ProgramId id() {
            return echo.id();
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(EchoProgram.BINDING);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            return echo.call(request, results);
        }
    }

    private void serve(PeerLimits limits) throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(gate),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT.toBuilder().peerLimits(limits).build());
    }

    private RpcRdmaClient connect() throws Exception {
        return connect(server.address());
    }

    private RpcRdmaClient connect(String host) throws Exception {
        return connect(
                new InetSocketAddress(InetAddress.ofLiteral(host), server.address().getPort()));
    }

    private RpcRdmaClient connect(InetSocketAddress address) throws Exception {
        return Connections.connect(
                provider,
                address,
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void checkNothingLeaks() {
        gate.open.release(1000);
        await(() -> server.openConnections() == 0 && server.clients() == 0);
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private long count(Counter counter) {
        return server.statistics().value(counter);
    }

    private static PeerLimits connections(int max) {
        return new PeerLimits(
                max, USUAL.callsMax(), USUAL.bytesMax(), USUAL.sendTimeout(), USUAL.readTimeout());
    }

    private static PeerLimits holding(int calls, long bytes) {
        return new PeerLimits(
                USUAL.connectionsMax(), calls, bytes, USUAL.sendTimeout(), USUAL.readTimeout());
    }

    private static PeerLimits within(Duration take, Duration give) {
        return new PeerLimits(
                USUAL.connectionsMax(), USUAL.callsMax(), USUAL.bytesMax(), take, give);
    }

    @Test
    void refusesConnectionsBeyondTheLimitOfAClient() throws Exception {
        serve(connections(2));
        try (var one = connect();
                var other = connect();
                var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var client : List.of(one, other)) {
                workers.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
            }
            await(() -> gate.inside.get() == 2);
            assertThrows(RpcException.Unreachable.class, this::connect);
            assertEquals(1, count(Counter.CONNECTIONS_REFUSED));
            gate.open.release(2);
            // A connection is idle once its calls are answered and the server has noticed that.
            await(this::isLetIn);
        }
    }

    /**
     * Goal: one that owes data for an RDMA Read does not keep others of its address out. Method:
     * all connections of the client owe it, for up to an hour.
     */
    @Test
    void aConnectionThatOwesDataMakesRoomForAnotherOfItsClient() throws Exception {
        var usual = connections(2);
        serve(new PeerLimits(2, usual.callsMax(), usual.bytesMax(), usual.sendTimeout(), HOUR));
        try (var one = new SilentPeer(provider, server.address());
                var other = new SilentPeer(provider, server.address())) {
            one.store(SIZE);
            other.store(SIZE);
            await(() -> server.callsInProgress() == 2);
            await(this::isLetIn);
            assertEquals(1, count(Counter.PEERS_STALLED));
        }
    }

    /**
     * Goal: no peer makes a server look dead to itself. Method: others of its address hold all
     * connections, calls and memory of this client, and make no room.
     */
    @Test
    void theServerFindsItselfAliveThoughItsAddressHasNoRoom() throws Exception {
        serve(connections(2));
        try (var one = connect();
                var other = connect();
                var workers = Executors.newCachedThreadPool()) {
            for (var client : List.of(one, other)) {
                // The polling threads run calls of NULL.
                workers.submit(() -> client.call(EchoProgram.list(1, 1), TIMEOUT));
            }
            await(() -> gate.inside.get() == 2);
            assertThrows(RpcException.Unreachable.class, this::connect);
            var probe = workers.submit(() -> probe(TIMEOUT));
            await(() -> gate.inside.get() == 3);
            gate.open.release(3);
            probe.get();
        }
    }

    @Test
    void theServerFindsItselfDeadIfItsProgramsDoNotAnswer() throws Exception {
        serve(USUAL);
        assertThrows(RpcException.class, () -> probe(SOON));
        gate.open.release(2);
        probe(TIMEOUT);
    }

    private Void probe(Duration timeout) throws Exception {
        server.probe(provider, server.address(), EchoProgram.PROGRAM, 1, timeout);
        return null;
    }

    private boolean isLetIn() {
        try {
            connect().close();
            return true;
        } catch (RpcException.Unreachable _) {
            return false;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** Serves a client with two addresses, as the hosts of a /64 of IPv6 are one. */
    private void serveNeighbors(int connections) throws Exception {
        gate.identifier =
                Optional.of(
                        (_, _) ->
                                new PeerIdentity(
                                        ClientAddress.ofUnknownLocalUsers(),
                                        new PeerIdentity.Process.Unknown()));
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress("::", 0),
                        List.of(gate),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .peerLimits(connections(connections))
                                .build());
    }

    @Test
    void anAddressOfAClientKeepsItsConnectionWhileAnotherOneHasMore() throws Exception {
        serveNeighbors(3);
        gate.open.release(10);
        try (var honest = connect("::1");
                var one = connect("127.0.0.1");
                var other = connect("127.0.0.1");
                var third = connect("127.0.0.1")) {
            assertThrows(
                    RpcException.class, () -> one.call(EchoProgram.nullCall(), TIMEOUT).close());
            for (var each : List.of(honest, other, third)) {
                each.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
            assertEquals(0, count(Counter.CONNECTIONS_REFUSED));
        }
    }

    @Test
    void anAddressWithBusyConnectionsDoesNotTakeTheOnlyOneOfAnother() throws Exception {
        serveNeighbors(3);
        try (var honest = connect("::1");
                var one = connect("127.0.0.1");
                var other = connect("127.0.0.1");
                var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var client : List.of(one, other)) {
                workers.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
            }
            await(() -> gate.inside.get() == 2);
            assertThrows(RpcException.Unreachable.class, () -> connect("127.0.0.1"));
            gate.open.release(3);
            honest.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
    }

    @Test
    void anAddressWithFewerGetsAConnectionThatIsInUse() throws Exception {
        serveNeighbors(2);
        gate.open.release(10);
        try (var one = connect("127.0.0.1");
                var other = connect("127.0.0.1")) {
            for (var each : List.of(one, other)) {
                each.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
            try (var honest = connect("::1")) {
                honest.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
        }
    }

    @Test
    void closesTheLongestIdleConnectionOfAClientForAnother() throws Exception {
        serve(connections(2));
        gate.open.release(10);
        try (var one = connect();
                var other = connect();
                var third = connect()) {
            assertThrows(
                    RpcException.class, () -> one.call(EchoProgram.nullCall(), TIMEOUT).close());
            other.call(EchoProgram.nullCall(), TIMEOUT).close();
            third.call(EchoProgram.nullCall(), TIMEOUT).close();
            assertEquals(1, count(Counter.CONNECTIONS_IDLE));
            assertEquals(0, count(Counter.CONNECTIONS_REFUSED));
        }
    }

    @Test
    void refusesConnectionsWhoseReceivesFindNoRoom() throws Exception {
        var options = RpcRdmaOptions.DEFAULT;
        serve(holding(10, options.sizes().largestCall() + 2 * options.sizes().receiveMemory()));
        try (var one = connect();
                var other = connect();
                var workers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var client : List.of(one, other)) {
                workers.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
            }
            await(() -> gate.inside.get() == 2);
            assertThrows(RpcException.Unreachable.class, this::connect);
            assertEquals(1, count(Counter.CONNECTIONS_REFUSED));
            gate.open.release(2);
        }
    }

    /** Makes calls on several connections, and checks that {@code together} calls run at once. */
    private void callManyTimes(int connections, int calls, long size, int together)
            throws Exception {
        var clients = new ArrayList<RpcRdmaClient>();
        try (var workers = Executors.newVirtualThreadPerTaskExecutor();
                var arena = Arena.ofShared()) {
            for (int i = 0; i < connections; i++) {
                var client = connect();
                clients.add(client);
                // The first reply grants the credits for more than one call.
                gate.open.release();
                client.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
            var made = new ArrayList<Callable<Void>>();
            for (int i = 0; i < calls; i++) {
                var client = clients.get(i % connections);
                var data = arena.allocate(size);
                made.add(
                        () -> {
                            client.call(EchoProgram.store(1, data), TIMEOUT).close();
                            return null;
                        });
            }
            var results = made.stream().map(workers::submit).toList();
            await(
                    () ->
                            gate.inside.get() == together
                                    && count(Counter.CALLS) == connections + calls);
            gate.open.release(calls);
            for (var result : results) {
                result.get();
            }
        } finally {
            clients.forEach(RpcRdmaClient::close);
        }
        assertEquals(together, gate.most.get());
        assertTrue(count(Counter.CALLS_DELAYED) > 0);
    }

    @Test
    void makesCallsOfOneClientWaitForEachOther() throws Exception {
        serve(holding(3, USUAL.bytesMax()));
        callManyTimes(4, 20, 8, 3);
    }

    @Test
    void fetchesNoMoreThanAClientMayHold() throws Exception {
        var options = RpcRdmaOptions.DEFAULT;
        serve(holding(100, options.sizes().largestCall() + 3 * options.sizes().receiveMemory()));
        int together = (int) (options.sizes().largestCall() / SIZE);
        callManyTimes(3, together + 8, SIZE, together);
    }

    @Test
    void endsPeersThatTakeNothing() throws Exception {
        serve(within(SOON, TIMEOUT));
        gate.open.release(1000);
        try (var silent = new SilentPeer(provider, server.address())) {
            for (int i = 0; i < 8; i++) {
                silent.fetch(SIZE);
            }
            await(() -> count(Counter.PEERS_STALLED) == 1);
            await(() -> server.openConnections() == 0);
        }
    }

    @Test
    void endsPeersThatDoNotAnswerAnRdmaRead() throws Exception {
        try (var log = new LogRecords(RpcRdmaServer.class)) {
            serve(within(TIMEOUT, SOON));
            try (var silent = new SilentPeer(provider, server.address())) {
                silent.store(SIZE);
                await(() -> count(Counter.PEERS_STALLED) == 1);
                await(() -> server.openConnections() == 0);
            }
            var line = log.messages().getLast();
            assertTrue(
                    line.matches(
                            "a connection was closed, because its client stalled it: \\S+:\\d+:"
                                    + " the peer does not answer an RDMA Read"),
                    line);
        }
        assertEquals(0, gate.most.get());
    }

    /** Goal: the builder passes on both times, each to its own kind of stall. */
    @Test
    void closesStalledConnectionsAfterTheTimesOfTheBuilder() throws Exception {
        for (boolean sends : new boolean[] {true, false}) {
            server =
                    RpcRdmaServer.builder()
                            .provider(provider)
                            .address(ManualPeer.LOOPBACK)
                            .program(new BoundEcho())
                            .stallTimeouts(sends ? SOON : HOUR, sends ? HOUR : SOON)
                            .start();
            try (var silent = new SilentPeer(provider, server.address())) {
                if (sends) {
                    for (int i = 0; i < 8; i++) {
                        silent.fetch(SIZE);
                    }
                } else {
                    silent.store(SIZE);
                }
                await(() -> count(Counter.PEERS_STALLED) == 1);
            }
            server.close();
        }
    }

    /** Goal: a server ends no connection because its program is slow or its client is idle. */
    @Test
    void closesNeitherIdleNorPatientConnections() throws Exception {
        serve(within(SOON, SOON));
        try (var idle = connect();
                var workers = Executors.newVirtualThreadPerTaskExecutor();
                var arena = Arena.ofShared();
                var silent = new SilentPeer(provider, server.address())) {
            var data = arena.allocate(SIZE);
            var patient = workers.submit(() -> idle.call(EchoProgram.store(1, data), TIMEOUT));
            await(() -> gate.inside.get() == 1);
            silent.store(SIZE);
            // The server ends the silent connection only, though all have waited equally long.
            await(() -> server.openConnections() == 1);
            assertEquals(1, count(Counter.PEERS_STALLED));
            gate.open.release();
            patient.get().close();
        }
    }
}
