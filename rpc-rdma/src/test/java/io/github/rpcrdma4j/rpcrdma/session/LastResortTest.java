package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.FaultyProvider.At;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: no exception or error ends a thread that a server needs. Method: the provider throws below
 * each of these threads.
 */
class LastResortTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final FaultyProvider provider = new FaultyProvider(new IwarpProvider());
    private RpcRdmaServer server;

    /** Returns exceptions and errors that any code may throw. */
    private static List<Supplier<Throwable>> faults() {
        return List.of(
                () -> new OutOfMemoryError("injected"),
                () -> new StackOverflowError("injected"),
                () -> new IllegalStateException("injected"),
                () -> new AssertionError("injected"),
                () -> new InterruptedException("injected"));
    }

    @BeforeEach
    void serve() throws Exception {
        var usual = PeerLimits.DEFAULT;
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .peerLimits(
                                        new PeerLimits(
                                                usual.connectionsMax(),
                                                usual.callsMax(),
                                                usual.bytesMax(),
                                                // Short, so that the server often checks its peers.
                                                Duration.ofMillis(200),
                                                usual.readTimeout()))
                                .build());
    }

    @AfterEach
    void checkNothingLeaks() {
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private void call() throws Exception {
        try (var client =
                Connections.connect(
                        new IwarpProvider(),
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT)) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
    }

    private void callInTheEnd() throws Exception {
        for (int i = 0; i < 10; i++) {
            try {
                call();
                return;
            } catch (RpcException _) {
                // This call met the fault.
            }
        }
        call();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void serversSurviveAnyFaultWhereTheyAccept(Supplier<Throwable> fault) throws Exception {
        provider.fail(At.ACCEPT, 3, fault);
        await(() -> provider.failed() == 3);
        call();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void serversSurviveAnyFaultWhereTheyPoll(Supplier<Throwable> fault) throws Exception {
        provider.fail(At.POLL, 8, fault);
        await(() -> provider.failed() == 8);
        call();
        call();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void serversSurviveAnyFaultWhereTheyMakeAConnection(Supplier<Throwable> fault)
            throws Exception {
        provider.fail(At.QUEUE_PAIR, 2, fault);
        callInTheEnd();
        assertEquals(2, provider.failed());
        await(() -> server.openConnections() == 0 && server.clients() == 0);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void peersAreCheckedAfterAnyFault(Supplier<Throwable> fault) throws Exception {
        provider.fail(At.WAKEUP, 2, fault);
        await(() -> provider.failed() == 2);
        try (var silent = new SilentPeer(new IwarpProvider(), server.address())) {
            for (int i = 0; i < 8; i++) {
                silent.fetch(1 << 20);
            }
            await(() -> server.statistics().value(Counter.PEERS_STALLED) == 1);
        }
    }

    /** Goal: an object that a client cannot create leaves none of the others open. */
    @ParameterizedTest
    @EnumSource(names = {"COMPLETION_QUEUE", "QUEUE_PAIR"})
    void aClientThatCannotBeSetUpHoldsNothing(At where) {
        var faulty = new FaultyProvider(new IwarpProvider());
        var broken = new OutOfMemoryError("injected");
        faulty.fail(where, 1, () -> broken);
        assertSame(
                broken,
                assertThrows(
                        OutOfMemoryError.class,
                        () ->
                                Connections.connect(
                                        faulty,
                                        server.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        RpcRdmaOptions.DEFAULT)));
        assertEquals(0, faulty.openQueues());
        var memory = Arena.ofAuto().allocate(8);
        assertThrows(IllegalStateException.class, () -> faulty.lastDomain().register(memory));
    }

    /** An adapter has a limit of queue pairs, and locks memory for them. */
    @Test
    void aClientThatTheAdapterHasNoRoomForSaysSo() {
        var none = new NoResourceException("siw0 has no room");
        provider.fail(At.QUEUE_PAIR, 1, () -> none);
        var refused =
                assertThrows(
                        RpcException.Unreachable.class,
                        () ->
                                Connections.connect(
                                        provider,
                                        server.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        RpcRdmaOptions.DEFAULT));
        assertEquals("siw0 has no room", refused.getMessage());
    }

    @Test
    void theLossOfAnAdapterIsLoggedInOneLine() {
        try (var log = new LogRecords(LastResortTest.class)) {
            var failures = new FailureLog(System.getLogger(LastResortTest.class.getName()));
            var lastResort = new LastResort(Threads.OF_MACHINE, "cannot accept", failures, _ -> {});
            lastResort.failed(new RdmaException.ConnectionLost("siw0 was removed", null));
            assertEquals(List.of("cannot accept: siw0 was removed"), log.messages());
        }
    }

    @Test
    void aServerServesOnAfterItHadNoRoomForAClient() throws Exception {
        provider.fail(At.QUEUE_PAIR, 1, () -> new NoResourceException("siw0 has no room"));
        assertThrows(RpcException.class, this::call);
        call();
    }

    @ParameterizedTest
    @EnumSource(names = {"ACCEPT", "POLL"})
    void aServerThatCannotGoOnSaysSo(At where) throws Exception {
        var failure = server.failure().toCompletableFuture();
        assertFalse(failure.isDone());
        var broken = new OutOfMemoryError("injected");
        provider.fail(where, Integer.MAX_VALUE, () -> broken);
        assertSame(broken, failure.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
        // The server has reported the failure and still runs.
        provider.fail(where, 0, () -> broken);
        call();
    }
}
