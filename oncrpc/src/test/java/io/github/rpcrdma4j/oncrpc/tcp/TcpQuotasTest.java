package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: no client can delay other clients, and no client can stop the server. Method: clients at
 * several loopback addresses.
 */
@Timeout(60)
class TcpQuotasTest {
    private static final Duration LONG = Duration.ofMinutes(6);
    private static final int PATIENCE_MILLIS = 20_000;
    private static final long MIB = 1 << 20;
    private static final String HOSTILE = "127.0.0.1";
    private static final String HONEST = "127.0.0.2";

    private final PatternProgram program = new PatternProgram(1, 1);
    private final AtomicLong now = new AtomicLong(System.nanoTime());
    private final List<Socket> sockets = new ArrayList<>();

    /** The error that the server's clock throws on the threads of the server; null if none. */
    private volatile Error fault;

    private TcpRpcServer server;

    @AfterEach
    void everythingIsGivenBack() throws IOException {
        fault = null;
        program.letGo();
        server.close();
        for (var each : sockets) {
            each.close();
        }
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
        assertEquals(0, server.clients());
        assertFalse(server.failure().toCompletableFuture().isCompletedExceptionally());
    }

    private void serve(TcpRpcOptions options, MemoryBudget budget) throws IOException {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress("127.0.0.1", 0),
                        new RpcDispatcher(List.of(program)),
                        options,
                        budget,
                        () -> {
                            if (fault != null
                                    && Thread.currentThread().getName().startsWith("tcp-")) {
                                throw fault;
                            }
                            return now.get();
                        });
    }

    private void serve(int connectionsMax, int callsMax, int callsPerClientMax) throws IOException {
        serve(
                new TcpRpcOptions(
                        connectionsMax,
                        8,
                        callsMax,
                        callsPerClientMax,
                        4,
                        64,
                        MIB,
                        MIB,
                        LONG,
                        LONG),
                MemoryBudget.process());
    }

    private Socket open(String from) throws IOException {
        var socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(server.address(), PATIENCE_MILLIS);
        return socket;
    }

    private static byte[] record(int procedure, Consumer<XdrWriter> arguments) {
        try (var out = new XdrWriter(new SegmentPool(0))) {
            CallHeader.encode(out, 1, PatternProgram.PROGRAM, 1, procedure, RawAuth.NONE);
            arguments.accept(out);
            byte[] message = out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return ByteBuffer.allocate(4 + message.length)
                    .putInt(1 << 31 | message.length)
                    .put(message)
                    .array();
        }
    }

    private static void call(Socket socket, int procedure) throws IOException {
        socket.getOutputStream().write(record(procedure, _ -> {}));
    }

    /** Makes a call that counts as a call in progress, and reads its reply. */
    private static void fetch(Socket socket) throws IOException {
        socket.getOutputStream().write(record(PatternProgram.FETCH, out -> out.uint32(100)));
        receive(socket);
    }

    private static void receive(Socket socket) throws IOException {
        var in = new DataInputStream(socket.getInputStream());
        in.readFully(new byte[in.readInt() & Integer.MAX_VALUE]);
    }

    private static void ping(Socket socket) throws IOException {
        call(socket, 0);
        receive(socket);
    }

    /** Gives a call beyond the limit time to start. */
    private void letCallsStart() throws IOException {
        var other = open("127.0.0.9");
        for (int i = 0; i < 200; i++) {
            ping(other);
        }
    }

    private void fill(String from, int connections, int waiting) throws IOException {
        for (int i = 0; i < connections; i++) {
            var socket = open(from);
            for (int n = 0; n < 6; n++) {
                call(socket, PatternProgram.WAIT);
            }
        }
        Eventually.await(() -> program.waitingMax() >= waiting);
        letCallsStart();
        assertEquals(waiting, program.waitingMax());
    }

    @Test
    void aClientWhoseCallsDoNotEndHoldsUpItselfAlone() throws Exception {
        serve(16, 6, 5);
        fill(HOSTILE, 4, 5);
        fetch(open(HONEST));
    }

    @Test
    void everyClientHasTwoCallsWhateverTheOthersHave() throws Exception {
        serve(16, 6, 5);
        fill(HOSTILE, 2, 5);
        fill("127.0.0.3", 2, 6 + ClientQuotas.CALLS_RESERVED - 1);
        fill("127.0.0.4", 2, 7 + ClientQuotas.CALLS_RESERVED);
        var honest = open(HONEST);
        for (int i = 0; i < 10; i++) {
            fetch(honest);
        }
    }

    /** More than a second later, the patrol finds the calls that do not end. */
    private void letCallsHang() {
        now.addAndGet(CallTurns.HANGS_NANOS);
    }

    @Test
    void callsThatHangHoldUpNoOthersOfTheirConnection() throws Exception {
        serve(16, 100, 100);
        var socket = open(HONEST);
        for (int n = 0; n < 4; n++) {
            call(socket, PatternProgram.WAIT);
        }
        Eventually.await(() -> program.waitingMax() >= 4);
        socket.getOutputStream().write(record(PatternProgram.FETCH, out -> out.uint32(100)));
        letCallsStart();
        assertEquals(0, socket.getInputStream().available());
        letCallsHang();
        receive(socket);
        fetch(socket);
    }

    @Test
    void callsThatHangHoldUpNoOthersOfTheirClientNorOfOthers() throws Exception {
        serve(16, 6, 4);
        fill(HOSTILE, 1, 4);
        letCallsHang();
        // The two that waited have begun in their places.
        Eventually.await(() -> program.waitingMax() >= 6);
        fetch(open(HOSTILE));
        // Twice as many may hang as may be in progress; then the client waits as before.
        fill(HOSTILE, 1, 8);
        letCallsHang();
        Eventually.await(() -> program.waitingMax() >= 12);
        letCallsHang();
        letCallsStart();
        assertEquals(12, program.waitingMax());
        fetch(open(HONEST));
    }

    /** Calls go on when their connection is lost, and may begin to hang only then. */
    @Test
    void callsThatHangHoldUpNoOthersAfterTheirConnectionWasLost() throws Exception {
        serve(16, 6, 4);
        fill(HOSTILE, 1, 4);
        var lost = sockets.getFirst();
        lost.setSoLinger(true, 0);
        lost.close();
        Eventually.await(() -> server.openConnections() == 1);
        letCallsHang();
        fetch(open(HOSTILE));
    }

    /**
     * Goal: a client that reads no replies delays only itself. Method: large replies that the test
     * does not read.
     */
    @Test
    void aClientThatTakesNoRepliesHoldsUpItselfAlone() throws Exception {
        serve(
                new TcpRpcOptions(16, 16, 16, 12, 16, 64, 1 << 30, MIB, LONG, LONG),
                MemoryBudget.process());
        byte[] fetch = record(PatternProgram.FETCH, out -> out.uint32(8 << 20));
        for (int i = 0; i < 4; i++) {
            var socket = open(HOSTILE);
            for (int n = 0; n < 8; n++) {
                socket.getOutputStream().write(fetch);
            }
        }
        Eventually.await(() -> server.statistics().calls() >= 12);
        letCallsStart();
        fetch(open(HONEST));
    }

    /** Goal: replies to calls of the server pass calls that wait. */
    @Test
    void aConnectionIsReadWhileItsCallsWaitForTheClientsOthers() throws Exception {
        serve(4, 8, 2);
        var first = open(HOSTILE);
        call(first, PatternProgram.WAIT);
        call(first, PatternProgram.WAIT);
        Eventually.await(() -> server.statistics().calls() == 2);
        var second = open(HOSTILE);
        call(second, PatternProgram.WAIT);
        ping(second);
        assertEquals(2, program.waitingMax());
        program.letGo();
        receive(second);
        receive(first);
        receive(first);
    }

    @Test
    void aConnectionOfTheClientWithTheMostIsEvicted() throws Exception {
        serve(4, 8, 4);
        var honest = open(HONEST);
        ping(honest);
        var hostile = new ArrayList<Socket>();
        for (int i = 0; i < 3; i++) {
            now.incrementAndGet();
            hostile.add(open(HOSTILE));
            ping(hostile.getLast());
        }
        now.incrementAndGet();
        ping(hostile.getFirst());
        var another = open("127.0.0.3");
        ping(another);
        assertEquals(-1, hostile.get(1).getInputStream().read());
        for (var each : List.of(honest, another, hostile.get(0), hostile.get(2))) {
            ping(each);
        }
    }

    @Test
    void aConnectionIsIdleForSixMinutesAtMost() throws Exception {
        serve(TcpRpcOptions.DEFAULT, MemoryBudget.process());
        var idle = open(HONEST);
        ping(idle);
        now.addAndGet(Duration.ofMinutes(6).toNanos() - 1);
        var other = open(HONEST);
        ping(other);
        now.addAndGet(1);
        assertEquals(-1, idle.getInputStream().read());
        ping(other);
    }

    /** Goal: records that never end do not use up the memory of other clients. */
    @Test
    void theClientThatHoldsTheMostMemoryGivesItBack() throws Exception {
        var budget = new MemoryBudget(8 * MIB);
        serve(new TcpRpcOptions(32, 32, 8, 8, 4, 64, 64 * MIB, MIB, LONG, LONG), budget);
        var half = new byte[500 << 10];
        System.arraycopy(store(0), 0, half, 0, Integer.BYTES);
        int count = 7;
        for (int client = 0; client < count; client++) {
            open("127.0.0." + (10 + client)).getOutputStream().write(half);
        }
        Eventually.await(() -> budget.used() >= count * (MIB + (64 << 10)));
        now.incrementAndGet();
        var honest = open(HONEST);
        for (int i = 0; i < 20; i++) {
            now.incrementAndGet();
            honest.getOutputStream().write(store(i));
            receive(honest);
        }
        assertTrue(server.statistics().connectionsEvicted() > 0);
        assertTrue(budget.used() <= budget.limit());
    }

    private static byte[] store(int number) {
        return record(PatternProgram.STORE, out -> out.opaque(new byte[(900 << 10) + 4 * number]));
    }

    @Test
    void noThrowableEndsTheThreadsOfAServer() throws Exception {
        serve(TcpRpcOptions.DEFAULT, MemoryBudget.process());
        try (var log = new LogRecords(TcpRpcServer.class)) {
            var idle = open(HONEST);
            ping(idle);
            now.addAndGet(Duration.ofMinutes(7).toNanos());
            fault = new StackOverflowError("on purpose");
            for (int i = 0; i < 5; i++) {
                assertEquals(-1, open(HONEST).getInputStream().read());
            }
            Eventually.await(() -> log.messages().size() == 2);
            fault = null;
            ping(open(HONEST));
            // Either the patrol thread still runs and closed this connection, or the server
            // evicted it.
            assertEquals(-1, idle.getInputStream().read());
            assertEquals(2, log.messages().size(), log.messages()::toString);
        }
        assertFalse(server.failure().toCompletableFuture().isDone());
    }

    @Test
    void theOwnerLearnsThatTheServerCannotGoOn() throws Exception {
        for (var name : List.of("tcp-accept-", "tcp-patrol-")) {
            serve(TcpRpcOptions.DEFAULT, MemoryBudget.process());
            try (var log = new LogRecords(TcpRpcServer.class)) {
                thread(name + server.address().getPort()).interrupt();
                assertInstanceOf(
                        InterruptedException.class,
                        server.failure().toCompletableFuture().get(20, TimeUnit.SECONDS));
                assertEquals(1, log.messages().size());
            }
            server.close();
        }
    }

    private static Thread thread(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aServerThatIsClosedHasNotFailed() throws Exception {
        serve(TcpRpcOptions.DEFAULT, MemoryBudget.process());
        server.close();
        assertFalse(server.failure().toCompletableFuture().isDone());
    }
}
