package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the memory that a client exposes for a call serves that call alone. Method: a server that
 * the test operates by hand, over iWARP.
 */
class CallMemoryOverIwarpTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 4096;
    private static final byte[] INVALIDATES = new PrivateData(true, 4096, 4096).encode();
    private static final int CREDITS = 8;
    private static final int LENGTH = 10_000;
    private static final int SEED = 7;
    private static final byte[] DATA = EchoProgram.pattern(LENGTH, SEED);

    private final FaultyProvider provider = new FaultyProvider(new IwarpProvider());
    private final IwarpProvider sound = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Listener listener;
    private ManualPeer server;
    private RpcRdmaClient client;

    /** What the server received of a FETCH. */
    private record Heard(int xid, WriteChunk chunk) {
        int handle() {
            return chunk.segments().getFirst().handle();
        }
    }

    @BeforeEach
    void listen() throws Exception {
        listener = sound.listen(ManualPeer.LOOPBACK);
    }

    /** Connects, and makes a first call, so that several can be outstanding. */
    private void connect() throws Exception {
        var options =
                RpcRdmaOptions.DEFAULT.toBuilder().inlineSend(4096).inlineReceive(4096).build();
        var connecting =
                threads.submit(
                        () ->
                                Connections.connect(
                                        provider,
                                        listener.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        options));
        server = ManualPeer.accept(sound, listener, INVALIDATES, RECEIVE_BYTES);
        client = connecting.get();
        var first = threads.submit(() -> client.call(EchoProgram.nullCall(), LONG));
        answer(server.receive().header().xid(), ChunkLists.EMPTY, OptionalInt.empty());
        first.get().close();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
        listener.close();
        threads.close();
        assertEquals(0, client.leasedMemory());
    }

    /** Starts a FETCH, and returns its data. */
    private Future<byte[]> fetch() {
        var target = Arena.ofAuto().allocate(LENGTH);
        return threads.submit(
                () -> {
                    try (var reply = client.call(EchoProgram.fetch(LENGTH, SEED, target), LONG)) {
                        reply.results().uint32();
                        return reply.results().bulk(LENGTH).toArray(ValueLayout.JAVA_BYTE);
                    }
                });
    }

    private Heard hear() throws InterruptedException {
        var header = assertInstanceOf(Version1Header.Msg.class, server.receive().header());
        return new Heard(header.xid(), header.chunks().writeList().getFirst());
    }

    private void answer(int xid, ChunkLists chunks, OptionalInt invalidated, int... results) {
        var reply = ByteBuffer.allocate(24 + results.length * Integer.BYTES).putInt(xid).putInt(1);
        reply.position(24);
        for (int word : results) {
            reply.putInt(word);
        }
        server.send(
                ManualConnection.message(
                        new Version1Header.Msg(xid, CREDITS, chunks), reply.array()),
                invalidated);
    }

    private void write(Heard call) {
        server.write(DATA, call.chunk.segments().getFirst());
    }

    private void answer(Heard call, OptionalInt invalidated) {
        var lists = new ChunkLists(List.of(), List.of(call.chunk), Optional.empty());
        answer(call.xid, lists, invalidated, LENGTH, LENGTH);
    }

    private static void assertLost(Future<byte[]> call) {
        var failure = assertThrows(ExecutionException.class, call::get).getCause();
        assertInstanceOf(RpcException.ConnectionLost.class, failure);
    }

    /** Goal: who has the results of a call can rely on it that nobody changes them. */
    @Test
    @Tag("8166-4.5.4-2")
    void theConnectionEndsBeforeACallWhoseMemoryCannotBeInvalidated() throws Exception {
        provider.forbidInvalidation();
        connect();
        var calling =
                threads.submit(
                        () -> {
                            var target = Arena.ofAuto().allocate(LENGTH);
                            var call = EchoProgram.fetch(LENGTH, SEED, target);
                            client.call(call, LONG).close();
                            return provider.lastPair().state();
                        });
        var heard = hear();
        var other = fetch();
        hear();
        write(heard);
        answer(heard, OptionalInt.empty());
        assertEquals(QueuePair.State.ERROR, calling.get());
        assertLost(other);
        assertEquals(Optional.empty(), server.receiveUnlessLost());
    }

    @Test
    @Tag("XCH-3.2-6")
    void aReplyThatInvalidatesMemoryOfAnotherCallEndsTheConnection() throws Exception {
        connect();
        var calling = fetch();
        var heard = hear();
        var other = fetch();
        var second = hear();
        write(heard);
        answer(heard, OptionalInt.of(second.handle()));
        assertLost(calling);
        assertLost(other);
        assertEquals(Optional.empty(), server.receiveUnlessLost());
    }

    /** Goal: a late reply to an earlier call finds no memory of a later one. */
    @Test
    @Tag("XCH-3.2-6")
    void theHandlesOfManyCallsInTurnDiffer() throws Exception {
        connect();
        int calls = 300;
        var handles = new HashSet<Integer>();
        for (int i = 0; i < calls; i++) {
            var calling = fetch();
            var heard = hear();
            handles.add(heard.handle());
            write(heard);
            answer(heard, i % 2 == 0 ? OptionalInt.empty() : OptionalInt.of(heard.handle()));
            assertArrayEquals(DATA, calling.get());
        }
        assertEquals(calls, handles.size());
    }

    /** Method: the server writes to an unused chunk after it has answered without data. */
    @Test
    @Tag("5666-3.4-15")
    void theMemoryOfAnUnusedChunkIsTheCallersAgain() throws Exception {
        connect();
        var target = Arena.ofAuto().allocate(LENGTH);
        var calling =
                threads.submit(
                        () -> {
                            var call = EchoProgram.fetch(0, SEED, target);
                            try (var reply = client.call(call, LONG)) {
                                reply.results().uint32();
                                return reply.results().bulk(LENGTH).byteSize();
                            }
                        });
        var heard = hear();
        var unused = new ChunkLists(List.of(), List.of(heard.chunk.unused()), Optional.empty());
        answer(heard.xid, unused, OptionalInt.empty(), 0, 0);
        assertEquals(0, calling.get());
        assertEquals(0, client.openWindows());
        write(heard);
        assertThrows(RpcException.class, () -> client.call(EchoProgram.nullCall(), LONG));
        assertEquals(-1, target.mismatch(Arena.ofAuto().allocate(LENGTH)));
    }

    /** Goal: a call fails for good if a chunk has what may not be in a chunk. */
    @Test
    @Tag("8166-6.1-3")
    void aFilledChunkWithoutAnItemFailsItsCallForGood() throws Exception {
        connect();
        var target = Arena.ofAuto().allocate(LENGTH);
        var calling =
                threads.submit(
                        () -> {
                            var call = EchoProgram.fetch(LENGTH, SEED, target);
                            try (var reply = client.call(call, LONG)) {
                                assertEquals(LENGTH, reply.results().uint32());
                                reply.results().finish();
                                return null;
                            }
                        });
        var heard = hear();
        write(heard);
        var lists = new ChunkLists(List.of(), List.of(heard.chunk), Optional.empty());
        answer(heard.xid, lists, OptionalInt.empty(), LENGTH);
        var failure = assertThrows(ExecutionException.class, calling::get).getCause();
        assertInstanceOf(XdrException.class, failure);
        // The next message is that of the next call.
        var next = fetch();
        var after = hear();
        assertFalse(after.xid == heard.xid);
        write(after);
        answer(after, OptionalInt.empty());
        assertArrayEquals(DATA, next.get());
    }
}
