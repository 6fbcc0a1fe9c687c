package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: calls work over TCP from client to server, between real sockets. */
class TcpRpcTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long MAX = 64 << 20;
    private static final int[] SIZES = {0, 1, 2, 3, 4, 5, 1000, 65535, 65536, 1 << 20};

    private final PatternProgram program = new PatternProgram(1, 1);
    private TcpRpcServer server;
    private TcpRpcClient client;

    @BeforeEach
    void connect() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                        List.of(program),
                        TcpRpcOptions.DEFAULT);
        client = newClient();
    }

    @AfterEach
    void everythingIsGivenBack() {
        program.letGo();
        client.close();
        client.close();
        server.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    private TcpRpcClient newClient() throws Exception {
        return TcpRpcClient.connect(
                server.address(), new Credential.Sys(1, "box", 2, 3, List.of()), DEADLINE);
    }

    @Test
    void carriesNullCalls() throws Exception {
        for (int i = 0; i < 1000; i++) {
            try (var reply = client.call(PatternProgram.nullCall(), DEADLINE)) {
                reply.results().finish();
            }
        }
        assertEquals(1000, server.statistics().calls());
        assertEquals(1, server.statistics().connectionsOpened());
    }

    @Test
    void carriesBulkDataInBothDirections() throws Exception {
        for (int size : SIZES) {
            fetch(client, size);
            swap(client, size);
            try (var arena = Arena.ofConfined();
                    var reply = client.call(PatternProgram.store(arena.allocate(size)), DEADLINE)) {
                assertEquals(size, reply.results().uint64());
            }
        }
    }

    private static void fetch(TcpRpcClient client, int size) throws Exception {
        try (var reply = client.call(PatternProgram.fetch(size), DEADLINE)) {
            var data = reply.results().bulk(MAX);
            reply.results().finish();
            assertEquals(size, data.byteSize());
            assertTrue(PatternProgram.isPattern(data));
        }
    }

    /** Goal: resultsMax makes room for results, and refuses none that fit. */
    @Test
    void carriesResultsThatAreLongerThanTheCallSays() throws Exception {
        var call =
                new RpcCall(
                        PatternProgram.PROGRAM,
                        1,
                        PatternProgram.FETCH,
                        out -> out.uint32(1000),
                        4);
        try (var reply = client.call(call, DEADLINE)) {
            assertTrue(PatternProgram.isPattern(reply.results().bulk(MAX)));
        }
    }

    private static void swap(TcpRpcClient client, int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        var data = MemorySegment.ofArray(bytes);
        try (var reply = client.call(PatternProgram.swap(data), DEADLINE)) {
            assertEquals(-1, data.mismatch(reply.results().bulk(MAX)));
            reply.results().finish();
        }
    }

    @Test
    void carriesManyCallsOfManyThreadsOverTwoConnections() throws Exception {
        try (var other = newClient();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var callers = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 40; i++) {
                var mine = i % 2 == 0 ? client : other;
                int size = i * 1000;
                callers.add(
                        () -> {
                            for (int round = 0; round < 20; round++) {
                                swap(mine, size + round);
                                fetch(mine, size + round);
                            }
                            return null;
                        });
            }
            for (var caller : threads.invokeAll(callers)) {
                caller.get();
            }
            assertEquals(2, server.openConnections());
        }
    }

    @Test
    void answersOutOfOrder() throws Exception {
        var waiting = inBackground(this::resultsOfWaitingCall);
        program.awaitWaiting();
        fetch(client, 100);
        program.letGo();
        assertEquals(0, waiting.get());
    }

    private long resultsOfWaitingCall() throws Exception {
        try (var reply = client.call(waitingCall(), DEADLINE)) {
            return reply.results().remaining();
        }
    }

    @Test
    void saysWhyACallHasNoResults() throws Exception {
        try (var log = new LogRecords(RpcDispatcher.class)) {
            assertEquals(AcceptStatus.SYSTEM_ERR, refusal(PatternProgram.FAIL));
            assertEquals(1, log.messages().size());
        }
        assertEquals(AcceptStatus.PROC_UNAVAIL, refusal(99));
        try (var log = new LogRecords(RpcDispatcher.class)) {
            assertEquals(AcceptStatus.GARBAGE_ARGS, refusal(PatternProgram.FETCH));
            assertEquals(1, log.messages().size());
        }
        var other = new RpcCall(4711, 1, 0, _ -> {}, 0);
        var failure = assertThrows(RpcException.Refused.class, () -> client.call(other, DEADLINE));
        assertEquals(
                "the server refused program 4711 version 1 procedure 0: PROG_UNAVAIL",
                failure.getMessage());
    }

    @Test
    void namesAProgramAsItsSiteWritesIt() {
        var failing = PatternProgram.procedure(PatternProgram.FAIL);
        var failure =
                assertThrows(RpcException.Refused.class, () -> client.call(failing, DEADLINE));
        assertEquals(
                "the server refused program 536871065 (0x20000099) version 1 procedure "
                        + PatternProgram.FAIL
                        + ": SYSTEM_ERR",
                failure.getMessage());
    }

    @Test
    void listensForNoTwoProgramsOfTheSameVersion() {
        // The address is also in use, but the check of the programs comes first.
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        TcpRpcServer.listen(
                                server.address(),
                                List.of(program, new PatternProgram(1, 1)),
                                TcpRpcOptions.DEFAULT));
    }

    private AcceptStatus refusal(int procedure) {
        var call = PatternProgram.procedure(procedure);
        return assertThrows(RpcException.Refused.class, () -> client.call(call, DEADLINE)).status();
    }

    @Test
    void keepsTheDeadlineOfACall() throws Exception {
        var late =
                assertThrows(
                        RpcException.TimedOut.class,
                        () -> client.call(waitingCall(), Duration.ofMillis(50)));
        assertEquals(
                "no reply from 127.0.0.1:" + server.address().getPort() + " within 50 ms",
                late.getMessage());
        program.letGo();
        fetch(client, 10);
    }

    @Test
    void saysAtOnceThatADeadlineIsOver() throws Exception {
        assertThrows(RpcException.TimedOut.class, () -> client.call(waitingCall(), Duration.ZERO));
        fetch(client, 10);
    }

    @Test
    void takesATimeoutOfAnyLength() throws Exception {
        var forever = Duration.ofSeconds(Long.MAX_VALUE);
        try (var reply = client.call(PatternProgram.nullCall(), forever)) {
            reply.results().finish();
        }
    }

    @Test
    void cancelsACallWhenItsThreadIsInterrupted() throws Exception {
        var waiting = new FutureTask<>(() -> client.call(waitingCall(), DEADLINE));
        var caller = Thread.ofVirtual().start(waiting);
        program.awaitWaiting();
        caller.interrupt();
        var failure = assertThrows(ExecutionException.class, waiting::get);
        assertTrue(failure.getCause() instanceof InterruptedException);
        fetch(client, 10);
    }

    /** An interrupted thread must not close the channel that other threads use. */
    @Test
    void survivesCallsOfInterruptedThreads() throws Exception {
        for (int i = 0; i < 50; i++) {
            var task =
                    new FutureTask<>(
                            () -> {
                                Thread.currentThread().interrupt();
                                assertThrows(
                                        InterruptedException.class, () -> swap(client, 3 << 18));
                                return null;
                            });
            (i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform()).start(task);
            task.get();
        }
        fetch(client, 10);
    }

    @Test
    void failsEveryCallWhenTheServerGoes() throws Exception {
        var waiting = new ArrayList<FutureTask<RpcException>>();
        for (int i = 0; i < 5; i++) {
            waiting.add(
                    inBackground(
                            () ->
                                    assertThrows(
                                            RpcException.ConnectionLost.class,
                                            () -> client.call(waitingCall(), DEADLINE))));
        }
        program.awaitWaiting();
        server.close();
        for (var each : waiting) {
            assertTrue(each.get().getMessage().contains(" was lost: "));
        }
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> client.call(PatternProgram.nullCall(), DEADLINE));
    }

    @Test
    void failsCallsThatAreInProgressWhenItIsClosed() throws Exception {
        var waiting =
                inBackground(
                        () ->
                                assertThrows(
                                        RpcException.ConnectionLost.class,
                                        () -> client.call(waitingCall(), DEADLINE)));
        program.awaitWaiting();
        client.close();
        assertTrue(waiting.get().getMessage().endsWith("closed on this side"));
    }

    @Test
    void sendsNothingOfACallThatCannotBeEncoded() throws Exception {
        var call =
                new RpcCall(
                        PatternProgram.PROGRAM,
                        1,
                        0,
                        _ -> {
                            throw new IllegalArgumentException("too much");
                        },
                        0);
        assertThrows(IllegalArgumentException.class, () -> client.call(call, DEADLINE));
        fetch(client, 10);
        assertEquals(1, server.statistics().calls());
    }

    @Test
    void keepsAReplyUntilItIsClosed() throws Exception {
        var reply = client.call(PatternProgram.fetch(5), DEADLINE);
        var data = reply.results().bulk(MAX);
        fetch(client, 5000);
        assertEquals(5, data.get(ValueLayout.JAVA_BYTE, 4));
        reply.close();
        reply.close();
        assertEquals(1, client.leasedMemory());
    }

    @Test
    void saysThatNobodyListens() throws Exception {
        var address = server.address();
        server.close();
        var failure =
                assertThrows(
                        RpcException.Unreachable.class,
                        () -> TcpRpcClient.connect(address, new Credential.None(), DEADLINE));
        assertEquals(
                "cannot connect to 127.0.0.1:" + address.getPort() + ": Connection refused",
                failure.getMessage());
        var nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
        failure =
                assertThrows(
                        RpcException.Unreachable.class,
                        () -> TcpRpcClient.connect(nowhere, new Credential.None(), DEADLINE));
        assertEquals("unknown host no-such-host.invalid", failure.getMessage());
    }

    @Test
    void writesAddressesAsUsersDo() {
        assertEquals(
                "[::1]:2049",
                HostPort.text(new InetSocketAddress(InetAddress.ofLiteral("::1"), 2049)));
        assertEquals(
                "server.example:2049",
                HostPort.text(InetSocketAddress.createUnresolved("server.example", 2049)));
    }

    @Test
    void writesAddressesOfIpv6AsShortAsTheyMayBe() {
        for (var words :
                List.of("2001:db8::1", "::", "fe80::", "1::2:0:0:3:4", "1:0:2:3:4:5:6:7")) {
            assertEquals(
                    "[" + words + "]:1",
                    HostPort.text(new InetSocketAddress(InetAddress.ofLiteral(words), 1)));
        }
        assertEquals("[fe80::1%eth0]", HostPort.bracketed("fe80:0:0:0:0:0:0:1%eth0"));
        assertEquals("[::1]", HostPort.bracketed("::1"));
        assertEquals("[a:b]", HostPort.bracketed("a:b"));
    }

    @Test
    void saysThatAnAddressIsTaken() {
        var failure =
                assertThrows(
                        IOException.class,
                        () ->
                                TcpRpcServer.listen(
                                        server.address(), List.of(), TcpRpcOptions.DEFAULT));
        assertEquals(
                "cannot listen on 127.0.0.1:"
                        + server.address().getPort()
                        + ": Address already in use",
                failure.getMessage());
    }

    private static RpcCall waitingCall() {
        return PatternProgram.procedure(PatternProgram.WAIT);
    }

    private static <T> FutureTask<T> inBackground(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }
}
