package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;

/**
 * A client and a server that the test operates by hand, over iWARP. The server sends no private
 * data, so all messages are 1024 bytes or shorter.
 */
abstract class ManualServer {
    static final Duration LONG = Duration.ofSeconds(20);

    /** The timeout of a call that is not sent. */
    static final Duration SHORT = Duration.ofMillis(20);

    static final int RECEIVE_BYTES = 4096;
    static final int THRESHOLD = 1024;
    static final int EMPTY_HEADER = 28;
    static final int CALL_HEADER = 40;
    static final int REPLY_HEADER = 24;
    static final int SEED = 7;

    final RdmaProvider provider = new IwarpProvider();
    final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    Listener listener;
    ManualPeer server;
    RpcRdmaClient client;

    void connect(long segmentMax) throws Exception {
        listener = provider.listen(ManualPeer.LOOPBACK);
        var options = RpcRdmaOptions.DEFAULT.toBuilder().segmentMax(segmentMax).build();
        var connecting =
                threads.submit(
                        () ->
                                Connections.connect(
                                        provider,
                                        listener.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        options));
        server = ManualPeer.accept(provider, listener, new byte[0], RECEIVE_BYTES);
        client = connecting.get();
    }

    void connect() throws Exception {
        connect(1 << 20);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        listener.close();
        threads.close();
        assertEquals(0, client.openWindows());
        assertEquals(0, client.leasedMemory());
    }

    /** Starts a call, and returns what comes of it: its results, all inline. */
    Future<byte[]> call(RpcCall call) {
        return threads.submit(
                () -> {
                    try (var reply = client.call(call, LONG)) {
                        var in = reply.results();
                        return in.fixedOpaque(in.remaining()).toArray(ValueLayout.JAVA_BYTE);
                    }
                });
    }

    /** Starts a FETCH, and returns the data. */
    Future<byte[]> fetch(int length, MemorySegment target) {
        return threads.submit(
                () -> {
                    try (var reply = client.call(EchoProgram.fetch(length, SEED, target), LONG)) {
                        reply.results().uint32();
                        return reply.results().bulk(length).toArray(ValueLayout.JAVA_BYTE);
                    }
                });
    }

    static byte[] accepted(int xid, byte... results) {
        return ByteBuffer.allocate(REPLY_HEADER + results.length)
                .putInt(xid)
                .putInt(1)
                .putInt(0)
                .putLong(0)
                .putInt(0)
                .put(results)
                .array();
    }

    void answer(int xid, int credits, ChunkLists chunks, byte... results) {
        server.send(
                ManualConnection.message(
                        new Version1Header.Msg(xid, credits, chunks), accepted(xid, results)));
    }

    void answer(int xid, int credits) {
        answer(xid, credits, ChunkLists.EMPTY);
    }

    static ChunkLists chunks(ManualPeer.ReceivedMessage call) {
        return switch (call.header()) {
            case Version1Header.Msg(_, _, var chunks) -> chunks;
            case Version1Header.NoMsg(_, _, var chunks) -> chunks;
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    throw new AssertionError("a requester sent " + call.header());
        };
    }

    static int payload(ManualPeer.ReceivedMessage call) {
        return call.bytes().length - ManualConnection.decode(call.bytes()).length();
    }

    /** Reads all segments of a Read chunk, in order, before the next message. */
    byte[] content(ReadChunk chunk, int xid) throws Exception {
        var parts = chunk.segments().stream().map(server::read).toList();
        // The answer to another call shows that the reads before it are complete.
        server.send(
                ManualConnection.message(new Version1Header.ChunkError(xid, 1, 8), new byte[0]));
        var joined = new ByteArrayOutputStream();
        var next = call(EchoProgram.nullCall());
        int nextXid = server.receive().header().xid();
        for (var part : parts) {
            joined.writeBytes(part.toArray(ValueLayout.JAVA_BYTE));
        }
        answer(nextXid, 8);
        next.get();
        return joined.toByteArray();
    }

    static MemorySegment pattern(int length) {
        var memory = Arena.ofAuto().allocate(length);
        EchoProgram.fill(memory, SEED);
        return memory;
    }

    /** Fails to send a call, as there is no credit for it. */
    void waitsInVain() {
        assertThrows(RpcException.TimedOut.class, () -> client.call(EchoProgram.nullCall(), SHORT));
    }

    static byte[] lengths(int length) {
        return ByteBuffer.allocate(8).putInt(length).putInt(length).array();
    }

    static ChunkLists written(List<WriteChunk> chunks) {
        return new ChunkLists(List.of(), chunks, Optional.empty());
    }

    static WriteChunk of(Segment... segments) {
        return new WriteChunk(List.of(segments));
    }
}
