package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualMemory;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
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
import java.util.OptionalInt;

/**
 * A requester of version 2 that says that it fetches replies, asks for long ones, and never fetches
 * one nor says that it is done.
 */
final class UnfetchingPeer implements AutoCloseable {
    private static final int DEPTH = 64;
    private static final int RECEIVE_BYTES = 16 << 10;
    private static final int CREDITS = 32;
    private static final int VERSION = 2;
    private static final int INITIAL_CHARACTERISTICS = 5;
    private static final int READ_CHUNKS = 0xffffff01;
    private static final int FETCHES_AND_EXPOSES = 0x9;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    private final ManualMemory memory;
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private int xid;

    UnfetchingPeer(RdmaProvider provider, InetSocketAddress server) throws Exception {
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(domain, queue, DEPTH, DEPTH, DEPTH, DEPTH, 1));
        memory = new ManualMemory(domain, queuePair);
        for (int i = 0; i < DEPTH; i++) {
            memory.postReceive(0, arena.allocate(RECEIVE_BYTES));
        }
        queuePair.connect(server, new PrivateData(false, 4096, 4096).encode(), TIMEOUT);
        introduce();
    }

    private void introduce() {
        try (var body = new XdrWriter(pool);
                var message = new XdrWriter(pool)) {
            body.uint32(1).uint32(READ_CHUNKS).uint32(4).uint32(FETCHES_AND_EXPOSES).uint32(0);
            message.uint32(++xid).uint32(VERSION).uint32(CREDITS).uint32(INITIAL_CHARACTERISTICS);
            message.uint32(0).uint32(1).opaque(body.reducedStream().toArray(ValueLayout.JAVA_BYTE));
            send(message);
        }
    }

    /** Asks for results of so many bytes without a chunk for them. */
    void ask(int size) {
        var call = EchoProgram.fetch(size, 1, MemorySegment.NULL);
        try (var message = new XdrWriter(pool)) {
            // Of a call, with three empty lists of chunks.
            message.uint32(++xid).uint32(VERSION).uint32(CREDITS).uint32(0).uint32(0);
            message.uint32(0).uint32(0).uint32(0);
            CallHeader.encode(
                    message, xid, call.program(), call.version(), call.procedure(), RawAuth.NONE);
            call.arguments().accept(message);
            send(message);
        }
    }

    private void send(XdrWriter message) {
        byte[] bytes = message.reducedStream().toArray(ValueLayout.JAVA_BYTE);
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
