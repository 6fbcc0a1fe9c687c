package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One end of a connection that a test operates, with any provider. Not thread-safe. */
public final class ManualPeer implements AutoCloseable {
    public static final InetSocketAddress LOOPBACK =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int RECEIVES = 8;

    /**
     * A message that this end received.
     *
     * @param bytes the message
     * @param completion its completion, which reports remote invalidation
     */
    public record ReceivedMessage(byte[] bytes, Completion completion) {
        /** Returns the header of a message of version 1. */
        public Version1Header header() {
            return ManualConnection.decode(bytes).header();
        }
    }

    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final QueuePair pair;
    private final ManualMemory memory;
    private final List<MemorySegment> buffers = new ArrayList<>();
    private final ArrayDeque<ReceivedMessage> received = new ArrayDeque<>();
    private boolean lost;
    private byte[] privateData = {};

    private ManualPeer(RdmaProvider provider, int receiveBytes) {
        domain = provider.allocateProtectionDomain();
        queue = provider.createCompletionQueue();
        pair =
                provider.createQueuePair(
                        new QueuePairOptions(domain, queue, RECEIVES, RECEIVES, 8, 8, 1));
        memory = new ManualMemory(domain, pair);
        for (int i = 0; i < RECEIVES; i++) {
            buffers.add(Arena.ofAuto().allocate(receiveBytes));
            postReceive(i);
        }
    }

    private void postReceive(int index) {
        try {
            memory.postReceive(index, buffers.get(index));
        } catch (IllegalStateException gone) {
            lost = true;
        }
    }

    /** Connects to a server. */
    public static ManualPeer connect(
            RdmaProvider provider, InetSocketAddress server, byte[] privateData, int receiveBytes)
            throws Exception {
        var peer = new ManualPeer(provider, receiveBytes);
        peer.privateData = peer.pair.connect(server, privateData, PATIENCE);
        return peer;
    }

    /** Accepts a client. */
    public static ManualPeer accept(
            RdmaProvider provider, Listener listener, byte[] privateData, int receiveBytes)
            throws Exception {
        var peer = new ManualPeer(provider, receiveBytes);
        var request = listener.accept(PATIENCE).orElseThrow();
        peer.privateData = request.privateData();
        request.accept(peer.pair, privateData);
        return peer;
    }

    /** Returns the private data of the other end. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Exposes new memory to the other end. */
    public Offer offer(long length, Access access) {
        return memory.offer(length, access);
    }

    public void send(byte[] message) {
        send(message, OptionalInt.empty());
    }

    /** Sends a message that invalidates a handle. */
    public void send(byte[] message, OptionalInt invalidate) {
        pair.post(List.of(memory.send(RECEIVES, message, invalidate)));
    }

    /** Posts a read of memory that the other end exposes; it completes before the next message. */
    public MemorySegment read(Segment source) {
        var sink = memory.sink(source.size());
        pair.post(List.of(memory.read(RECEIVES, sink, source)));
        return sink.segment();
    }

    /** Posts a write to memory that the other end offered. */
    public void write(byte[] data, Segment target) {
        pair.post(List.of(memory.write(RECEIVES, data, target)));
    }

    /** Waits for the next message. */
    public ReceivedMessage receive() throws InterruptedException {
        return receiveUnlessLost()
                .orElseThrow(
                        () -> new AssertionError("the connection was lost: " + pair.failure()));
    }

    /** Waits for the next message; returns empty if the connection is lost. */
    public Optional<ReceivedMessage> receiveUnlessLost() throws InterruptedException {
        var completions = new ArrayList<Completion>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (received.isEmpty() && !lost) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("nothing came");
            }
            queue.poll(completions, left);
            completions.forEach(this::take);
            completions.clear();
        }
        return Optional.ofNullable(received.pollFirst());
    }

    private void take(Completion completion) {
        if (!completion.succeeded()) {
            lost = true;
        } else if (completion.operation() == Completion.Operation.RECEIVE) {
            int index = (int) completion.workRequestId();
            var message = buffers.get(index).asSlice(0, completion.length());
            received.add(new ReceivedMessage(message.toArray(ValueLayout.JAVA_BYTE), completion));
            postReceive(index);
        }
    }

    @Override
    public void close() {
        pair.close();
        domain.close();
        queue.close();
    }
}
