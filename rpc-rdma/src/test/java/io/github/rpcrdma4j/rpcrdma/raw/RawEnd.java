package io.github.rpcrdma4j.rpcrdma.raw;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One end of an RDMA connection that a test operates: it sends and receives any bytes. A thread of
 * its own polls.
 */
public final class RawEnd implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration MOMENT = Duration.ofSeconds(2);
    private static final int RECEIVES = 16;
    private static final int RECEIVE_BYTES = 8 << 10;

    /** RFC 8797: version 1, no remote invalidation, 5120 bytes to send and to receive. */
    private static final byte[] PRIVATE_DATA = Words.hex("f6ab0e18 01000404").bytes();

    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final List<MemorySegment> buffers = new ArrayList<>();
    private final BlockingQueue<Optional<Words>> received = new LinkedBlockingQueue<>();
    private final Thread polls;
    private volatile boolean closed;

    private RawEnd(RdmaProvider provider) {
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        pair =
                provider.createQueuePair(
                        new QueuePairOptions(domain, queue, RECEIVES, RECEIVES, 8, 8, 1));
        for (int i = 0; i < RECEIVES; i++) {
            buffers.add(Arena.ofAuto().allocate(RECEIVE_BYTES));
            postReceive(i);
        }
        polls = Thread.ofPlatform().name("raw-end").daemon().start(this::poll);
    }

    /** Connects to a server. */
    public static RawEnd connect(RdmaProvider provider, InetSocketAddress server) throws Exception {
        return connect(provider, server, PRIVATE_DATA);
    }

    /** Connects to a server with other private data. */
    public static RawEnd connect(
            RdmaProvider provider, InetSocketAddress server, byte[] privateData) throws Exception {
        var end = new RawEnd(provider);
        end.pair.connect(server, privateData, PATIENCE);
        return end;
    }

    /** Accepts a client. */
    public static RawEnd accept(RdmaProvider provider, Listener listener) throws Exception {
        return accept(provider, listener.accept(PATIENCE).orElseThrow(), PRIVATE_DATA);
    }

    /** Accepts a client with other private data. */
    public static RawEnd accept(RdmaProvider provider, ConnectRequest request, byte[] privateData)
            throws Exception {
        var end = new RawEnd(provider);
        request.accept(end.pair, privateData);
        return end;
    }

    private void postReceive(int index) {
        var buffer = buffers.get(index);
        pair.postReceive(index, domain.register(buffer), 0, buffer.byteSize());
    }

    /** Offers blank memory that the peer may write to. */
    public RawChunk sink(int... lengths) {
        return chunk(Access.REMOTE_WRITE, lengths);
    }

    /** Offers memory that the peer may read. */
    public RawChunk source(byte[] data, int... lengths) {
        return chunk(Access.REMOTE_READ, lengths).fill(data);
    }

    private RawChunk chunk(Access access, int... lengths) {
        var pieces = new ArrayList<RawChunk.Piece>();
        for (int length : lengths) {
            var memory = Arena.ofAuto().allocate(Math.max(1, length)).asSlice(0, length);
            memory.fill(RawChunk.BLANK);
            var region = domain.register(memory);
            pieces.add(
                    new RawChunk.Piece(pair.bind(region, 0, length, EnumSet.of(access)), memory));
        }
        return new RawChunk(List.copyOf(pieces));
    }

    public void send(Words message) {
        var memory = Arena.ofAuto().allocate(message.length());
        MemorySegment.copy(message.bytes(), 0, memory, ValueLayout.JAVA_BYTE, 0, message.length());
        var gather = List.of(Sge.of(domain.register(memory)));
        pair.post(List.of(new WorkRequest.Send(RECEIVES, gather)));
    }

    /** Waits for the next message. */
    public Words receive() throws InterruptedException {
        return receiveUnlessLost()
                .orElseThrow(
                        () -> new AssertionError("the connection was lost: " + pair.failure()));
    }

    /** Waits for the next message; returns empty if the connection is lost. */
    public Optional<Words> receiveUnlessLost() throws InterruptedException {
        var next = received.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new AssertionError("nothing came");
        }
        return next;
    }

    /** Waits a moment for the next message; returns empty if none comes. */
    public Optional<Words> receiveSoon() throws InterruptedException {
        var next = received.poll(MOMENT.toNanos(), TimeUnit.NANOSECONDS);
        return next == null ? Optional.empty() : next;
    }

    /** Returns how many messages wait to be received. */
    public int arrived() {
        return received.size();
    }

    /** Polls, without which the peer could not reach the memory of this end either. */
    private void poll() {
        var completions = new ArrayList<Completion>();
        try {
            while (!closed) {
                queue.poll(completions, CompletionQueue.FOREVER);
                completions.forEach(this::take);
                completions.clear();
            }
        } catch (InterruptedException _) {
            // The test ends.
        }
    }

    private void take(Completion completion) {
        if (!completion.succeeded()) {
            received.add(Optional.empty());
        } else if (completion.operation() == Completion.Operation.RECEIVE) {
            int index = (int) completion.workRequestId();
            var message = buffers.get(index).asSlice(0, completion.length());
            received.add(Optional.of(new Words(message.toArray(ValueLayout.JAVA_BYTE))));
            if (pair.state() == QueuePair.State.READY) {
                postReceive(index);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        queue.wakeup();
        try {
            polls.join();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        pair.close();
        domain.close();
        queue.close();
    }
}
