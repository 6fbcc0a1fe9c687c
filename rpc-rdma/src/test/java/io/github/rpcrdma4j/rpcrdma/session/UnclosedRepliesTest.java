package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a program that does not close its replies is told so, and loses no memory for good. */
class UnclosedRepliesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LENGTH = 1 << 20;
    private static final int SEED = 3;
    private static final int REPLIES = 20;

    private final RdmaProvider provider = new IwarpProvider();
    private final LogRecords log = new LogRecords(RpcReply.class);
    private RpcRdmaServer server;

    @BeforeEach
    void listen() throws Exception {
        server =
                Connections.listen(
                        provider,
                        loopback(),
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    @AfterEach
    void close() {
        server.close();
        log.close();
    }

    private RpcRdmaClient connect() throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    /** Makes calls, and returns the first reply; the others are lost. */
    private static RpcReply loseReplies(RpcClient client) throws Exception {
        var first = client.call(EchoProgram.list(LENGTH, SEED), TIMEOUT);
        for (int i = 0; i < REPLIES; i++) {
            client.call(EchoProgram.list(LENGTH, SEED), TIMEOUT);
        }
        return first;
    }

    private static void collectUntil(BooleanSupplier done) {
        long start = System.nanoTime();
        while (!done.getAsBoolean() && System.nanoTime() - start < TIMEOUT.toNanos()) {
            System.gc();
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        assertTrue(done.getAsBoolean());
    }

    /** Loses replies, closes the client, and reads a reply that was not lost. */
    private void checkThatMemoryIsFreed(RpcClient client, String name) throws Exception {
        var budget = MemoryBudget.process();
        long before = budget.used();
        var kept = loseReplies(client);
        assertTrue(budget.used() - before >= (long) REPLIES * LENGTH);
        assertEquals(List.of(), log.messages());
        client.close();
        collectUntil(() -> budget.used() - before < 4L * LENGTH && !log.messages().isEmpty());
        var warning = log.messages().getFirst();
        assertTrue(
                warning.startsWith("a client of " + name + " did not close each RpcReply: "),
                warning);
        var data = kept.results().opaque(LENGTH);
        assertArrayEquals(EchoProgram.pattern(LENGTH, SEED), data.toArray(ValueLayout.JAVA_BYTE));
        kept.close();
        // The client itself stays reachable until here.
        Reference.reachabilityFence(client);
    }

    @Test
    void aClosedClientGivesUpTheMemoryOfLostRepliesAndWarns() throws Exception {
        checkThatMemoryIsFreed(connect(), "127.0.0.1:" + server.address().getPort());
    }

    @Test
    void aClosedTcpClientGivesUpTheMemoryOfLostRepliesAndWarns() throws Exception {
        try (var tcp =
                TcpRpcServer.listen(
                        loopback(), List.of(new EchoProgram()), TcpRpcOptions.DEFAULT)) {
            var client = TcpRpcClient.connect(tcp.address(), new Credential.None(), TIMEOUT);
            checkThatMemoryIsFreed(client, "127.0.0.1:" + tcp.address().getPort());
        }
    }

    @Test
    void whoClosesEachReplyIsNotWarned() throws Exception {
        try (var client = connect()) {
            for (int i = 0; i < REPLIES; i++) {
                client.call(EchoProgram.list(LENGTH, SEED), TIMEOUT).close();
            }
        }
        var budget = MemoryBudget.process();
        long before = budget.used();
        collectUntil(() -> budget.used() <= before);
        assertEquals(List.of(), log.messages());
    }
}
