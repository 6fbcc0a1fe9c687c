package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: calls under contexts work between real sockets. Method: a mechanism of three rounds. */
class GssOverTcpTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long MAX = 64 << 20;

    private final PatternProgram program = new PatternProgram(1, 1);
    private final ToyMechanism mechanism = new ToyMechanism("alice", 3);
    private final AtomicLong now = new AtomicLong();
    private final GssServer contexts = new GssServer(mechanism, now::get);
    private TcpRpcServer server;

    @BeforeEach
    void serve() throws Exception {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new RpcDispatcher(List.of(program), List.of(contexts)),
                        TcpRpcOptions.DEFAULT);
    }

    @AfterEach
    void everythingIsGivenBack() {
        program.letGo();
        server.close();
        contexts.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, mechanism.open());
    }

    private TcpRpcClient transport() throws Exception {
        return TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE);
    }

    private GssClient client(GssService service) throws Exception {
        return new GssClient(transport(), mechanism, service);
    }

    private static void swap(GssClient client, int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        var data = MemorySegment.ofArray(bytes);
        try (var reply = client.call(PatternProgram.swap(data), DEADLINE)) {
            assertEquals(-1, data.mismatch(reply.results().bulk(MAX)));
            reply.results().finish();
        }
    }

    @Test
    void carriesDataInBothDirectionsUnderEveryService() throws Exception {
        for (var service : GssService.values()) {
            try (var client = client(service)) {
                for (int size : new int[] {0, 1, 2, 3, 4, 5, 1000, 65536, 1 << 20}) {
                    swap(client, size);
                }
                assertEquals(1, contexts.contexts());
            }
            // The client has sent DESTROY.
            assertEquals(0, contexts.contexts());
        }
    }

    @Test
    void carriesMoreCallsAtATimeThanTheWindowOfItsContext() throws Exception {
        try (var client = client(GssService.INTEGRITY);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var callers = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 600; i++) {
                int size = i;
                callers.add(
                        () -> {
                            swap(client, size);
                            return null;
                        });
            }
            for (var done : threads.invokeAll(callers)) {
                done.get();
            }
            assertEquals(1, contexts.contexts());
        }
    }

    @Test
    void negotiatesANewContextWithoutTheCaller() throws Exception {
        try (var client = client(GssService.PRIVACY)) {
            swap(client, 100);
            now.addAndGet(ContextStore.IDLE_NANOS);
            swap(client, 101);
            now.addAndGet(ContextStore.LIFETIME_NANOS);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var callers = new ArrayList<Callable<Void>>();
                for (int i = 0; i < 20; i++) {
                    int size = i;
                    callers.add(
                            () -> {
                                swap(client, size);
                                return null;
                            });
                }
                for (var done : threads.invokeAll(callers)) {
                    done.get();
                }
            }
            assertEquals(1, contexts.contexts());
            assertEquals(2, mechanism.open());
        }
    }

    @Test
    void passesRefusalsOn() throws Exception {
        try (var client = client(GssService.INTEGRITY)) {
            var failure =
                    assertThrows(
                            RpcException.Refused.class,
                            () ->
                                    client.call(
                                            PatternProgram.procedure(PatternProgram.FAIL),
                                            DEADLINE));
            assertTrue(failure.getMessage().endsWith("SYSTEM_ERR"), failure::getMessage);
            swap(client, 5);
        }
    }

    @Test
    void failsCallsOfCallersThatAreNotLetIn() throws Exception {
        try (var client =
                new GssClient(transport(), new ToyMechanism("mallory", 3), GssService.NONE)) {
            for (int i = 0; i < 2; i++) {
                var failure =
                        assertThrows(
                                RpcException.NotAuthenticated.class,
                                () -> client.call(PatternProgram.nullCall(), DEADLINE));
                assertEquals(
                        "the server refuses the security context (gss_major 0x90000, gss_minor"
                                + " 77)",
                        failure.getMessage());
            }
        }
    }

    @Test
    void failsCallsOfServersThatKnowNoContexts() throws Exception {
        try (var plain =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(program),
                                TcpRpcOptions.DEFAULT);
                var client =
                        new GssClient(
                                TcpRpcClient.connect(
                                        plain.address(), new Credential.None(), DEADLINE),
                                mechanism,
                                GssService.NONE)) {
            var failure =
                    assertThrows(
                            RpcException.Denied.class,
                            () -> client.call(PatternProgram.nullCall(), DEADLINE));
            assertEquals(ReplyHeader.AUTH_REJECTEDCRED, failure.status());
        }
    }

    @Test
    void bindsContextsToPrograms() throws Exception {
        try (var client = client(GssService.NONE)) {
            swap(client, 1);
            for (int version = 2; version <= 16; version++) {
                var call = new RpcCall(PatternProgram.PROGRAM, version, 0, _ -> {}, 0);
                assertThrows(RpcException.Refused.class, () -> client.call(call, DEADLINE));
            }
            var oneTooMany = new RpcCall(PatternProgram.PROGRAM, 17, 0, _ -> {}, 0);
            assertThrows(IllegalArgumentException.class, () -> client.call(oneTooMany, DEADLINE));
        }
    }

    @Test
    void failsWaitingCallsWhenItIsClosed() throws Exception {
        var client = client(GssService.NONE);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waits =
                    threads.submit(
                            () ->
                                    client.call(
                                            PatternProgram.procedure(PatternProgram.WAIT),
                                            DEADLINE));
            program.awaitWaiting();
            client.close();
            assertThrows(Exception.class, waits::get);
        }
        assertThrows(
                RpcException.ConnectionLost.class,
                () -> client.call(PatternProgram.nullCall(), DEADLINE));
    }
}
