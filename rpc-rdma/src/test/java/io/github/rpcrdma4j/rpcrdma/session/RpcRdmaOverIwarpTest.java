package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.LogRecords;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: calls of all kinds work from end to end, between real sockets. */
class RpcRdmaOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int[] SIZES = {
        0, 1, 3, 4, 5, 100, 3900, 4000, 4095, 4096, 4097, 65535, 65536, 1 << 20, (1 << 20) + 1
    };

    private static final int IDLE_CLIENTS = 100;
    private static final int LOST_BYTES = 100_000;

    /** Inline thresholds as short as those of other peers, so that a page travels in chunks. */
    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().inlineSend(4096).inlineReceive(4096).build();

    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    @BeforeEach
    void connect() throws Exception {
        server =
                Connections.listen(
                        provider,
                        loopback(),
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        OPTIONS);
        client = connectTo(server);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private RpcRdmaClient connectTo(RpcRdmaServer wanted) throws Exception {
        return Connections.connect(
                provider,
                wanted.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                OPTIONS);
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, client.openWindows());
        client.close();
        server.close();
        assertEquals(0, client.leasedMemory());
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    @Test
    void carriesNullCalls() throws Exception {
        for (int i = 0; i < 1000; i++) {
            try (var reply = client.call(EchoProgram.nullCall(), TIMEOUT)) {
                reply.results().finish();
            }
        }
        assertEquals(1000, client.statistics().value(Counter.REPLIES));
    }

    /** Goal: what each connection has carried adds up to what the server has. */
    @Test
    void tellsWhatEachConnectionHasCarried() throws Exception {
        int size = 100_000;
        try (var second = connectTo(server)) {
            var data = Arena.ofAuto().allocate(size);
            client.call(EchoProgram.store(size, data), TIMEOUT).close();
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
            second.call(EchoProgram.fetch(size, 7, data), TIMEOUT).close();
            var each = server.connectionStatistics(10);
            assertEquals(2, each.size());
            assertEquals(1, server.connectionStatistics(1).size());
            var first = each.stream().filter(of -> of.calls() == 2).findFirst().orElseThrow();
            var other = each.stream().filter(of -> of.calls() == 1).findFirst().orElseThrow();
            assertTrue(first.callBytes() > size && first.replyBytes() < size, first::toString);
            assertTrue(other.replyBytes() > size && other.callBytes() < size, other::toString);
            assertEquals(server.grantedCredits(), first.credits() + other.credits());
            var counted = server.statistics();
            assertEquals(
                    counted.value(Counter.INLINE_CALL_BYTES)
                            + counted.value(Counter.READ_CHUNK_BYTES),
                    first.callBytes() + other.callBytes());
            assertEquals(
                    counted.value(Counter.INLINE_REPLY_BYTES)
                            + counted.value(Counter.WRITE_CHUNK_BYTES),
                    first.replyBytes() + other.replyBytes());
            assertTrue(server.memorySlabs() > 0);
        }
    }

    /** Goal: the author of a program learns what its decoder disliked; the reply has no room. */
    @Test
    void theServerLogsWhyArgumentsCannotBeDecoded() throws Exception {
        var call = new RpcCall(EchoProgram.PROGRAM, 1, EchoProgram.FETCH, out -> out.uint32(8), 0);
        try (var log = new LogRecords(RpcDispatcher.class)) {
            for (int i = 0; i < 2; i++) {
                var refused =
                        assertThrows(RpcException.Refused.class, () -> client.call(call, TIMEOUT));
                assertEquals(AcceptStatus.GARBAGE_ARGS, refused.status());
            }
            assertEquals(
                    List.of(
                            "the arguments of program 536870978 (0x20000042) version 1 procedure "
                                    + EchoProgram.FETCH
                                    + " cannot be decoded: 127.0.0.1: the message ends inside an"
                                    + " item"),
                    log.messages());
        }
    }

    @Test
    void carriesBulkItemsOfEverySize() throws Exception {
        try (var arena = Arena.ofShared()) {
            for (int size : SIZES) {
                var data = arena.allocate(size + 1).asSlice(0, size);
                EchoProgram.fill(data, size);
                try (var reply = client.call(EchoProgram.store(size, data), TIMEOUT)) {
                    assertEquals(size, reply.results().uint32());
                    assertEquals(EchoProgram.sum(data), reply.results().uint64());
                    reply.results().finish();
                }
            }
        }
        assertTrue(client.statistics().value(Counter.READ_CHUNKS) > 5);
    }

    /** Goal: two calls never share an XID, even while the first of them is being encoded. */
    @Test
    @Tag("8167-5.1-1")
    void refusesAnXidThatACallHasWhichIsBeingEncoded() throws Exception {
        var second = EchoProgram.nullCall().withXid(77);
        var first =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        0,
                        _ ->
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () -> client.call(second, TIMEOUT)),
                        0);
        client.call(first.withXid(77), TIMEOUT).close();
        client.call(second, TIMEOUT).close();
        var broken =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        0,
                        _ -> {
                            throw new IllegalStateException("the caller is wrong");
                        },
                        0);
        assertThrows(IllegalStateException.class, () -> client.call(broken.withXid(77), TIMEOUT));
        client.call(second, TIMEOUT).close();
    }

    @Test
    void offersNoMemoryForAnEmptyArgument() throws Exception {
        var empty = Arena.ofAuto().allocate(8).asSlice(0, 0);
        var data = Arena.ofAuto().allocate(5001);
        EchoProgram.fill(data, 3);
        try (var reply = client.call(EchoProgram.join(empty, data), TIMEOUT)) {
            assertEquals(0, reply.results().uint64());
            assertEquals(EchoProgram.sum(data), reply.results().uint64());
        }
        assertEquals(1, client.statistics().value(Counter.READ_CHUNKS));
    }

    @Test
    @Tag("8166-3.4.6-1")
    @Tag("8166-4.3.2.1-2")
    @Tag("8166-3.4.6.2-2")
    void placesBulkResultsOfEverySizeInTheCallersMemory() throws Exception {
        try (var arena = Arena.ofShared()) {
            for (int size : SIZES) {
                var target = arena.allocate(size + 8);
                try (var reply =
                        client.call(EchoProgram.fetch(size, 7, target.asSlice(0, size)), TIMEOUT)) {
                    assertEquals(size, reply.results().uint32());
                    var data = reply.results().bulk(size);
                    assertArrayEquals(
                            EchoProgram.pattern(size, 7), data.toArray(ValueLayout.JAVA_BYTE));
                    if (size >= 4096) {
                        assertEquals(target.address(), data.address());
                    }
                    assertEquals(0, target.get(ValueLayout.JAVA_BYTE, size));
                    reply.results().finish();
                }
            }
        }
    }

    @Test
    @Tag("5666-3.8-1")
    void takesMemoryOnTheHeapToo() throws Exception {
        byte[] bytes = EchoProgram.pattern(100_001, 3);
        var target = MemorySegment.ofArray(new byte[bytes.length]);
        try (var reply =
                client.call(EchoProgram.swap(MemorySegment.ofArray(bytes), target), TIMEOUT)) {
            assertEquals(target, reply.results().bulk(bytes.length));
            reply.results().finish();
        }
        assertArrayEquals(bytes, target.toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void copiesResultsIntoMemoryThatIsConfinedToTheCaller() throws Exception {
        try (var arena = Arena.ofConfined();
                var pipeline = client.pipeline()) {
            var target = arena.allocate(100_001);
            var call = EchoProgram.fetch(100_000, 3, target);
            var got = new AtomicReference<MemorySegment>();
            pipeline.submit(
                    call,
                    TIMEOUT,
                    new CallOutcome() {
                        @Override
                        public void succeeded(XdrReader results) throws XdrException {
                            results.uint32();
                            got.set(results.bulk(100_000));
                        }

                        @Override
                        public void failed(RpcException reason) {
                            throw new AssertionError(reason);
                        }
                    });
            while (pipeline.outstanding() > 0) {
                pipeline.poll(TIMEOUT);
            }
            assertEquals(target.asSlice(0, 100_000), got.get());
            assertArrayEquals(
                    EchoProgram.pattern(100_000, 3), got.get().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    void sendsNoCallWithMoreTargetsThanTheBindingHasResults() {
        var targets = List.of(Arena.ofAuto().allocate(100), Arena.ofAuto().allocate(100));
        var call = new RpcCall(EchoProgram.PROGRAM, 1, EchoProgram.FETCH, _ -> {}, 8, targets);
        long before = client.statistics().value(Counter.INLINE_CALL_BYTES);
        var failure =
                assertThrows(IllegalArgumentException.class, () -> client.call(call, TIMEOUT));
        assertEquals(
                "the call has 2 result targets, and the binding of program 536870978 (0x20000042)"
                        + " has 1 bulk result for procedure 2",
                failure.getMessage());
        assertEquals(before, client.statistics().value(Counter.INLINE_CALL_BYTES));
    }

    @Test
    void sendsNoCallWithATargetOfAnotherThread() throws Exception {
        try (var arena = Arena.ofConfined()) {
            var call = EchoProgram.fetch(100_000, 3, arena.allocate(100_000));
            long before = client.statistics().value(Counter.INLINE_CALL_BYTES);
            var failure =
                    assertThrows(
                            ExecutionException.class,
                            () -> client.callAsync(call, TIMEOUT, _ -> 0).get());
            assertInstanceOf(IllegalArgumentException.class, failure.getCause());
            assertEquals(before, client.statistics().value(Counter.INLINE_CALL_BYTES));
        }
    }

    @Test
    @Tag("5666-5.2-2")
    void carriesLongRepliesInReplyChunks() throws Exception {
        for (int size : SIZES) {
            try (var reply = client.call(EchoProgram.list(size, 5), TIMEOUT)) {
                assertArrayEquals(EchoProgram.pattern(size, 5), reply.results().bytes(size));
                reply.results().finish();
            }
        }
        assertTrue(client.statistics().value(Counter.REPLY_CHUNKS) > 5);
    }

    @Test
    @Tag("5666-5.1-1")
    @Tag("5666-5.1-2")
    @Tag("8166-6.1-1")
    void carriesLongCallsInPositionZeroReadChunks() throws Exception {
        for (int size : SIZES) {
            var data = MemorySegment.ofArray(EchoProgram.pattern(size, 9));
            try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
        }
        assertTrue(client.statistics().value(Counter.LONG_CALLS) > 5);
    }

    @Test
    @Tag("5666-3.3-6")
    void servesEveryOneOfManyIdleClients() throws Exception {
        var clients = new ArrayList<RpcRdmaClient>();
        for (int i = 0; i < IDLE_CLIENTS; i++) {
            clients.add(connectTo(server));
        }
        for (int round = 0; round < 3; round++) {
            for (var each : clients) {
                each.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
        }
        clients.forEach(RpcRdmaClient::close);
    }

    /** A program whose results lie in memory that is closed before the reply is sent. */
    private static final class Careless extends OneVersion {
        Careless() {
            super(EchoProgram.PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) {
            if (request.procedure() == EchoProgram.SWAP) {
                try (var arena = Arena.ofShared()) {
                    results.bulk(arena.allocate(LOST_BYTES));
                }
            }
            return AcceptStatus.SUCCESS;
        }
    }

    @Test
    @Tag("8166-4.5.4-3")
    @Tag("V2-4.2.3-7")
    void closesAConnectionWhoseReplyCannotBeSent() throws Exception {
        try (var careless =
                Connections.listen(
                        provider,
                        loopback(),
                        List.of(new Careless()),
                        List.of(EchoProgram.BINDING),
                        OPTIONS)) {
            try (var caller = connectTo(careless);
                    var other = connectTo(careless)) {
                var swap =
                        EchoProgram.swap(
                                MemorySegment.ofArray(new byte[4]),
                                Arena.ofAuto().allocate(LOST_BYTES));
                assertThrows(RpcException.ConnectionLost.class, () -> caller.call(swap, TIMEOUT));
                other.call(EchoProgram.nullCall(), TIMEOUT).close();
            }
        }
    }

    @Test
    void listensForNoTwoProgramsOfTheSameVersion() {
        // The address is in use, too, but the server checks its programs first.
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        Connections.listen(
                                provider,
                                server.address(),
                                List.of(new EchoProgram(), new Careless()),
                                List.of(EchoProgram.BINDING),
                                OPTIONS));
    }

    @Test
    void failsACallThatItsProgramRefuses() {
        var failing =
                new io.github.rpcrdma4j.oncrpc.RpcCall(
                        EchoProgram.PROGRAM, 1, EchoProgram.FAIL, _ -> {}, 0);
        assertThrows(RpcException.Refused.class, () -> client.call(failing, TIMEOUT));
    }

    @Test
    @Tag("5666-3.3-9")
    void servesManyThreadsAtOnce() throws Exception {
        var work = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            work.add(
                    () -> {
                        for (int round = 0; round < 20; round++) {
                            int size = (number * 7919 + round * 104729) % 200_000;
                            byte[] bytes = EchoProgram.pattern(size, number);
                            var target = Arena.ofAuto().allocate(size + 1).asSlice(0, size);
                            try (var reply =
                                    client.call(
                                            EchoProgram.swap(MemorySegment.ofArray(bytes), target),
                                            TIMEOUT)) {
                                assertArrayEquals(
                                        bytes,
                                        reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
                            }
                        }
                        return null;
                    });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(work)) {
                done.get();
            }
        }
        assertEquals(4000, client.statistics().value(Counter.REPLIES));
    }
}
