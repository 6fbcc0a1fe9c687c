package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A requester that sends calls and never polls, so it neither receives replies nor answers reads.
 * It learns of no grant: a server has eight receives for its calls before it can post more.
 */
final class SilentPeer implements AutoCloseable {
    private static final int DEPTH = 64;
    private static final int HEADER_ROOM = 256;
    private static final Duration SETUP_TIMEOUT = Duration.ofSeconds(20);

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final ManualMemory memory;
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private int xid;

    SilentPeer(RdmaProvider provider, InetSocketAddress server) throws Exception {
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(domain, queue, DEPTH, DEPTH, DEPTH, DEPTH, 1));
        memory = new ManualMemory(domain, queuePair);
        for (int i = 0; i < DEPTH; i++) {
            memory.postReceive(0, arena.allocate(4096));
        }
        queuePair.connect(server, new PrivateData(false, 4096, 4096).encode(), SETUP_TIMEOUT);
    }

    /** Sends a STORE call whose Read chunk the server cannot read. */
    void store(long size) {
        var region = region(size, Access.REMOTE_READ);
        var call = EchoProgram.store(1, region.segment());
        try (var message = message(call)) {
            int position = (int) message.bulkItems().getFirst().position();
            var read = new ReadSegment(position, segment(region));
            send(message, new ChunkLists(List.of(read), List.of(), Optional.empty()));
        }
    }

    /** Sends a FETCH call whose Write chunk the server cannot fill. */
    void fetch(int size) {
        var region = region(size, Access.REMOTE_WRITE);
        try (var message = message(EchoProgram.fetch(size, 1, MemorySegment.NULL))) {
            var chunk = new WriteChunk(List.of(segment(region)));
            send(message, new ChunkLists(List.of(), List.of(chunk), Optional.empty()));
        }
    }

    private Offer region(long size, Access access) {
        return memory.offer(arena.allocate(size), access);
    }

    private static Segment segment(Offer region) {
        return new Segment(region.handle(), (int) region.length(), region.address());
    }

    private XdrWriter message(RpcCall call) {
        var message = new XdrWriter(pool);
        CallHeader.encode(
                message, ++xid, call.program(), call.version(), call.procedure(), RawAuth.NONE);
        call.arguments().accept(message);
        return message;
    }

    private void send(XdrWriter message, ChunkLists chunks) {
        var buffer = arena.allocate(HEADER_ROOM + message.reducedStream().byteSize());
        int length = Version1HeaderCodec.encode(new Version1Header.Msg(xid, DEPTH, chunks), buffer);
        var stream = message.reducedStream();
        MemorySegment.copy(stream, 0, buffer, length, stream.byteSize());
        length += (int) stream.byteSize();
        byte[] bytes = buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        queuePair.post(List.of(memory.send(0, bytes, OptionalInt.empty())));
    }

    @Override
    public void close() {
        queuePair.close();
        queue.close();
        domain.close();
        arena.close();
    }
}
