package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a user gets a client and a server with few settings, and each setting has an effect. */
@Timeout(60)
class BuildersTest {
    private static final int PROGRAM = 0x2000_0077;
    private static final int FETCH = 1;
    private static final int WAIT = 2;
    private static final int LENGTH = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final UpperLayerBinding BINDING =
            UpperLayerBinding.of(PROGRAM, 1).procedure(FETCH, 0, 1).build();

    /** A program: FETCH returns 1 MiB, and WAIT blocks until {@link #letGo} or an interrupt. */
    private static final class Given implements RpcProgram {
        private final CountDownLatch waiting = new CountDownLatch(1);
        private final CountDownLatch letGo = new CountDownLatch(1);
        private final CompletableFuture<String> thread = new CompletableFuture<>();

        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == 0
                    ? ProcedureDescriptor.NULL
                    : ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public List<UpperLayerBinding> bindings() {
            return List.of(BINDING);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            switch (request.procedure()) {
                case 0 -> {}
                case FETCH -> results.bulk(Arena.ofAuto().allocate(LENGTH));
                case WAIT -> {
                    thread.complete(Thread.currentThread().getName());
                    waiting.countDown();
                    letGo.await();
                }
                default -> {
                    return AcceptStatus.PROC_UNAVAIL;
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private final Given program = new Given();

    private static RpcRdmaServerBuilder server() {
        return RpcRdmaServer.builder()
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static RpcCall call(int procedure) {
        return new RpcCall(PROGRAM, 1, procedure, _ -> {}, 0);
    }

    private static CompletableFuture<Void> inBackground(RpcRdmaClient client, RpcCall call) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        client.call(call, TIMEOUT).close();
                    } catch (RpcException | InterruptedException failure) {
                        throw new IllegalStateException(failure);
                    }
                },
                work -> Thread.ofVirtual().start(work));
    }

    @Test
    void connectsWithDefaultsAndPlacesBoundResults() throws Exception {
        try (var server = server().program(program).start();
                var client = RpcRdmaClient.builder().binding(BINDING).connect(server.address());
                var arena = Arena.ofShared()) {
            var target = arena.allocate(LENGTH);
            var fetch = new RpcCall(PROGRAM, 1, FETCH, _ -> {}, 8, List.of(target));
            try (var reply = client.call(fetch, TIMEOUT)) {
                assertEquals(target.address(), reply.results().bulk(LENGTH).address());
            }
            assertEquals(LENGTH, server.statistics().value(Counter.WRITE_CHUNK_BYTES));
            assertEquals(server.address(), client.remoteAddress());
        }
    }

    @Test
    void sharesOneProviderAmongAllThatAreGivenNone() {
        assertSame(RdmaProvider.shared(), RdmaProvider.shared());
        assertEquals("iwarp", RdmaProvider.shared().name());
    }

    @Test
    void connectsByNameAndPort() throws Exception {
        try (var server = server().program(program).start()) {
            var client = RpcRdmaClient.connect("127.0.0.1", server.address().getPort());
            client.ping(PROGRAM, 1, TIMEOUT);
            assertTrue(client.isOpen());
            client.close();
            assertFalse(client.isOpen());
        }
    }

    @Test
    void reconnectsWhenTheConnectionIsLost() throws Exception {
        var first = server().program(program).start();
        try (var client = RpcRdmaClient.builder().connectReconnecting(first.address(), TIMEOUT)) {
            client.ping(PROGRAM, 1, TIMEOUT);
            first.close();
            try (var _ = server().address(first.address()).program(program).start()) {
                client.ping(PROGRAM, 1, TIMEOUT);
            }
        }
    }

    /** Goal: who bounds a whole call does not wait for the time to connect at its end. */
    @Test
    void aBoundOnTheWholeCallShortensTheTimeToConnect() throws Exception {
        var first = server().program(program).start();
        var hour = Duration.ofHours(1);
        try (var client = RpcRdmaClient.builder().connectReconnecting(first.address(), hour)) {
            client.ping(PROGRAM, 1, TIMEOUT);
            first.close();
            try (var silent = new ServerSocket()) {
                silent.bind(first.address());
                var call = RpcCall.ofNull(PROGRAM, 1);
                var failed =
                        assertThrows(
                                RpcException.Unreachable.class,
                                () -> client.call(call, TIMEOUT, Duration.ofMillis(200)));
                var usual = RpcRdmaOptions.DEFAULT.connectTimeout().toMillis() + " ms";
                assertFalse(failed.getMessage().contains(usual), failed::getMessage);
            }
        }
    }

    @Test
    void reconnectsWithTheSettingsOfTheFirstConnection() throws Exception {
        var first = server().program(program).start();
        var builder = RpcRdmaClient.builder();
        try (var client = builder.connectReconnecting(first.address(), TIMEOUT)) {
            client.ping(PROGRAM, 1, TIMEOUT);
            builder.credits(0);
            first.close();
            try (var _ = server().address(first.address()).program(program).start()) {
                client.ping(PROGRAM, 1, TIMEOUT);
            }
        }
    }

    @Test
    void refusesTwoProgramsOfOneNumberAndVersion() {
        var builder = server().program(program).program(new Given());
        var refused = assertThrows(IllegalArgumentException.class, builder::start);
        assertTrue(refused.getMessage().contains("(0x20000077) is served twice"));
    }

    @Test
    void refusesAServerWithoutAProgram() {
        assertThrows(IllegalStateException.class, () -> server().start());
    }

    @Test
    void refusesADispatcherBesidePrograms() {
        var builder = server().program(program).dispatcher(new RpcDispatcher(List.of(program)));
        assertThrows(IllegalStateException.class, builder::start);
    }

    @Test
    void checksSettingsWhenAllAreKnown() throws Exception {
        try (var server =
                server().program(program)
                        .fetchedBytesPerCall(128L << 20)
                        .fetchedBytesPerConnection(256L << 20)
                        .credits(8)
                        .pollers(1)
                        .start()) {
            assertEquals(0, server.openConnections());
        }
        var builder = server().program(program).fetchedBytesPerCall(128L << 20);
        assertThrows(IllegalArgumentException.class, builder::start);
        assertThrows(IllegalArgumentException.class, () -> server().pollers(0));
    }

    @Test
    void boundsTheConnectionsOfAClient() throws Exception {
        try (var server = server().program(program).limitsPerClient(1, 10, 64L << 20).start();
                var first = RpcRdmaClient.builder().connect(server.address())) {
            first.ping(PROGRAM, 1, TIMEOUT);
            assertThrows(
                    RpcException.Unreachable.class,
                    () -> RpcRdmaClient.builder().connect(server.address()));
        }
    }

    @Test
    void carriesCallsOutOnAnExecutorOfTheUser() throws Exception {
        var factory = Thread.ofPlatform().name("mine-", 0).factory();
        try (var executor = Executors.newCachedThreadPool(factory)) {
            try (var server = server().program(program).callExecutor(executor).start();
                    var client = RpcRdmaClient.builder().connect(server.address())) {
                var waiting = inBackground(client, call(WAIT));
                assertTrue(program.thread.get().startsWith("mine-"));
                program.letGo.countDown();
                waiting.get();
            }
            assertFalse(executor.isShutdown());
        }
    }

    @Test
    void interruptsCallsOnAnExecutorWhenItCloses() throws Exception {
        try (var executor = Executors.newCachedThreadPool()) {
            var server = server().program(program).callExecutor(executor).start();
            try (var client = RpcRdmaClient.builder().connect(server.address())) {
                var waiting = inBackground(client, call(WAIT));
                program.waiting.await();
                server.close();
                assertThrows(Exception.class, waiting::get);
            }
        }
    }

    @Test
    void waitsForCallsInProgressWhenItClosesWithPatience() throws Exception {
        var server = server().program(program).start();
        try (var client = RpcRdmaClient.builder().connect(server.address())) {
            var waiting = inBackground(client, call(WAIT));
            program.waiting.await();
            var closed = CompletableFuture.supplyAsync(() -> close(server, TIMEOUT));
            assertThrows(
                    RpcException.Unreachable.class,
                    () -> {
                        while (!closed.isDone()) {
                            RpcRdmaClient.builder().connect(server.address()).close();
                        }
                    });
            assertFalse(waiting.isDone());
            program.letGo.countDown();
            assertTrue(closed.get());
            waiting.get();
        }
    }

    private static boolean close(RpcRdmaServer server, Duration patience) {
        try {
            return server.close(patience);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void cutsCallsOffWhenPatienceEnds() throws Exception {
        var server = server().program(program).start();
        try (var client = RpcRdmaClient.builder().connect(server.address())) {
            var waiting = inBackground(client, call(WAIT));
            program.waiting.await();
            assertFalse(server.close(Duration.ofMillis(50)));
            assertThrows(Exception.class, waiting::get);
        }
    }

    @Test
    void aClientWaitsForItsCallsWhenItClosesWithPatience() throws Exception {
        try (var server = server().program(program).start()) {
            var client = RpcRdmaClient.builder().connect(server.address());
            var waiting = inBackground(client, call(WAIT));
            program.waiting.await();
            assertFalse(waiting.isDone());
            var closed = CompletableFuture.supplyAsync(() -> close(client, TIMEOUT));
            program.letGo.countDown();
            assertTrue(closed.get());
            waiting.get();
            assertFalse(client.isOpen());
        }
    }

    /** Goal: the client closes soon after its last call, and not at the end of its patience. */
    @Test
    void aClientThatMayBeCalledBackWaitsNoLongerThanItsCalls() throws Exception {
        try (var server = server().program(program).start()) {
            var client =
                    RpcRdmaClient.builder().callBackProgram(new Given()).connect(server.address());
            client.ping(PROGRAM, 1, TIMEOUT);
            var waiting = inBackground(client, call(WAIT));
            program.waiting.await();
            var closed = new CompletableFuture<Boolean>();
            var closing =
                    Thread.ofPlatform()
                            .start(() -> closed.complete(close(client, Duration.ofHours(1))));
            Eventually.await(() -> closing.getState() == Thread.State.TIMED_WAITING);
            program.letGo.countDown();
            assertTrue(closed.get());
            waiting.get();
        }
    }

    private static boolean close(RpcRdmaClient client, Duration patience) {
        try {
            return client.close(patience);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** A profile that fails while a connection of a client is made. */
    private static final class Broken implements WireProfile {
        private ClientProfile.Setup setup;

        @Override
        public String name() {
            return "broken";
        }

        @Override
        public ClientProfile client(ClientProfile.Setup made) {
            setup = made;
            throw new IllegalStateException("broken");
        }

        @Override
        public ServerProfile server(ServerProfile.Setup made) {
            throw new AssertionError("the test has no server");
        }
    }

    @Test
    void aConnectionThatCannotBeMadeHoldsNothing() {
        var profile = new Broken();
        var builder = RpcRdmaClient.builder().profile(profile);
        assertThrows(IllegalStateException.class, () -> builder.connect("127.0.0.1", 1));
        var endpoint = profile.setup.endpoint();
        assertEquals(QueuePair.State.ERROR, endpoint.queuePair().state());
        assertEquals(0, endpoint.memory().pool().leased());
    }

    @Test
    void aClientCountsALossWhenItFindsTheLoss() throws Exception {
        var server = server().program(program).start();
        var client = RpcRdmaClient.builder().connect(server.address());
        client.ping(PROGRAM, 1, TIMEOUT);
        assertEquals(0, client.statistics().value(Counter.CONNECTIONS_ENDED));
        server.close();
        assertThrows(RpcException.class, () -> client.ping(PROGRAM, 1, TIMEOUT));
        assertEquals(1, client.statistics().value(Counter.CONNECTIONS_ENDED));
        client.close();
        assertEquals(1, client.statistics().value(Counter.CONNECTIONS_ENDED));
    }

    @Test
    void awaitEndsWhenTheServerIsClosed() throws Exception {
        var server = server().program(program).start();
        var awaited = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                server.await();
                                awaited.countDown();
                            } catch (InterruptedException _) {
                                // Then the test fails.
                            }
                        });
        assertFalse(awaited.await(20, TimeUnit.MILLISECONDS));
        server.close();
        assertTrue(awaited.await(20, TimeUnit.SECONDS));
    }

    @Test
    void countsInSnapshotsThatDoNotChange() throws Exception {
        try (var server = server().program(new PatternProgram(1, 1)).start();
                var client = RpcRdmaClient.builder().connect(server.address())) {
            var before = client.statistics();
            client.ping(PatternProgram.PROGRAM, 1, TIMEOUT);
            assertEquals(0, before.value(Counter.CALLS));
            assertEquals(1, client.statistics().value(Counter.CALLS));
            assertThrows(
                    UnsupportedOperationException.class,
                    () -> before.values().put(Counter.CALLS, 7L));
        }
    }

    /** Goal: a call with unusable memory fails alone, and sends nothing. */
    @Test
    void aCallWithMemoryThatCannotBeUsedLeavesTheConnectionAlone() throws Exception {
        try (var server = server().program(program).start();
                var client = RpcRdmaClient.builder().binding(BINDING).connect(server.address())) {
            client.ping(PROGRAM, 1, TIMEOUT);
            var closed = Arena.ofShared();
            var target = closed.allocate(LENGTH);
            closed.close();
            var fetch = new RpcCall(PROGRAM, 1, FETCH, _ -> {}, 8, List.of(target));
            assertThrows(IllegalStateException.class, () -> client.call(fetch, TIMEOUT));
            var store = new RpcCall(PROGRAM, 1, FETCH, out -> out.bulk(target), 8);
            assertThrows(IllegalStateException.class, () -> client.call(store, TIMEOUT));
            client.ping(PROGRAM, 1, TIMEOUT);
        }
    }

    /** Goal: a call whose reply needs more memory than there is fails alone. */
    @Test
    void aCallWithoutMemoryForItsReplyLeavesTheConnectionAlone() throws Exception {
        try (var server = server().program(program).start();
                var client = RpcRdmaClient.builder().connect(server.address())) {
            client.ping(PROGRAM, 1, TIMEOUT);
            // Without a binding, the result and its target share the Reply chunk.
            var target = Arena.ofAuto().allocate(LENGTH);
            var fetch =
                    new RpcCall(
                            PROGRAM, 1, FETCH, _ -> {}, RpcCall.RESULTS_BYTES_MAX, List.of(target));
            assertThrows(IllegalArgumentException.class, () -> client.call(fetch, TIMEOUT));
            client.ping(PROGRAM, 1, TIMEOUT);
        }
    }

    @Test
    void aCallRefusesLimitsAndTargetsThatCannotBe() {
        var readOnly = Arena.ofAuto().allocate(8).asReadOnly();
        for (long resultsMax : new long[] {-1, RpcCall.RESULTS_BYTES_MAX + 1, Long.MAX_VALUE}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new RpcCall(PROGRAM, 1, FETCH, _ -> {}, resultsMax));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new RpcCall(PROGRAM, 1, FETCH, _ -> {}, 8, List.of(readOnly)));
    }

    @Test
    void findsTheProfileOfTheCoreByItsName() {
        assertEquals(Optional.of(WireProfile.RFC_8166), WireProfile.find("RFC 8166"));
        assertEquals(Optional.empty(), WireProfile.find("version 9"));
    }
}
