package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A connection without a requester: it sends any bytes and does not judge arriving messages. Only
 * one call at a time may be outstanding. Not thread-safe.
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class RawConnection implements AutoCloseable {
    /** The longest Send that servers take by default, in bytes. */
    static final int INLINE_BYTES = 4096;

    /**
     * The length of a receive, in bytes. It is longer than the announced inline threshold, because
     * Linux ignores that (svc_rdma_sendto.c).
     */
    private static final int RECEIVE_BYTES = 1 << 16;

    private static final int RECEIVES = 8;
    private static final int SENDS = 64;
    private static final int READS = 16;
    private static final Duration SETUP_TIMEOUT = Duration.ofSeconds(20);
    private static final long ANSWER_NANOS = Duration.ofSeconds(20).toNanos();

    private final ProtectionDomain domain;
    private final CompletionQueue completionQueue;
    private final QueuePair queuePair;
    private final MemoryRegion receives;
    private final ArrayDeque<Answer> arrived = new ArrayDeque<>();
    private boolean takesInvalidation;
    private boolean serverTakesInvalidation;

    /** The outcome of waiting for an answer. */
    sealed interface Answer {
        /**
         * @param bytes a copy of the message
         * @param invalidated the handle that the Send invalidated
         */
        record Message(MemorySegment bytes, OptionalInt invalidated) implements Answer {}

        /** The connection was lost. */
        record Lost(String why) implements Answer {}

        /** No message arrived in time. */
        record Silence() implements Answer {}
    }

    private RawConnection(RdmaProvider provider) {
        domain = provider.allocateProtectionDomain();
        completionQueue = provider.createCompletionQueue();
        queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                domain, completionQueue, SENDS, RECEIVES, READS, READS, 1));
        receives = domain.register(Arena.ofAuto().allocate(RECEIVES * RECEIVE_BYTES));
        for (int i = 0; i < RECEIVES; i++) {
            postReceive(i);
        }
    }

    /**
     * Connects to a server.
     *
     * @param takesInvalidation whether the private data allows replies to invalidate handles (RFC
     *     8797)
     */
    static RawConnection open(
            RdmaProvider provider, InetSocketAddress server, boolean takesInvalidation)
            throws RdmaException, InterruptedException {
        var connection = new RawConnection(provider);
        try {
            var own = new PrivateData(takesInvalidation, INLINE_BYTES, INLINE_BYTES);
            byte[] received = connection.queuePair.connect(server, own.encode(), SETUP_TIMEOUT);
            connection.takesInvalidation = takesInvalidation;
            connection.serverTakesInvalidation =
                    PrivateData.find(received).orElse(PrivateData.ABSENT).remoteInvalidation();
            return connection;
        } catch (RdmaException | InterruptedException failure) {
            connection.close();
            throw failure;
        }
    }

    /** Returns whether replies of this server may invalidate handles (RFC 8797, Section 4.1). */
    boolean repliesInvalidate(Peer peer) {
        return switch (peer) {
            // Linux never announces remote invalidation, but uses it.
            case LINUX -> takesInvalidation;
            case OURS -> takesInvalidation && serverTakesInvalidation;
        };
    }

    OfferedMemory offer(Layout layout, Set<Access> access) {
        return new OfferedMemory(this::open, layout, access);
    }

    private MemoryWindow open(MemorySegment memory, long offset, long length, Set<Access> access) {
        return queuePair.bind(domain.register(memory), offset, length, access);
    }

    /** Posts a Send of these bytes and does not check its outcome. */
    void send(byte[] bytes) {
        var message = Arena.ofAuto().allocate(bytes.length);
        MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, 0, bytes.length);
        var element = Sge.of(domain.register(message));
        queuePair.post(List.of(new WorkRequest.Send(0, List.of(element))));
    }

    /** Returns the next message, the loss of the connection, or silence after 20 seconds. */
    Answer receive() throws InterruptedException {
        long deadline = System.nanoTime() + ANSWER_NANOS;
        var completions = new ArrayList<Completion>();
        while (arrived.isEmpty()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return new Answer.Silence();
            }
            completionQueue.poll(completions, left);
            for (var completion : completions) {
                completed(completion);
            }
            completions.clear();
        }
        return arrived.removeFirst();
    }

    private void completed(Completion completion) {
        if (!completion.succeeded()) {
            arrived.add(
                    new Answer.Lost(queuePair.failure().orElse("the peer closed the connection")));
            return;
        }
        if (completion.operation() != Completion.Operation.RECEIVE) {
            return;
        }
        int index = (int) completion.workRequestId();
        byte[] bytes = buffer(index).asSlice(0, completion.length()).toArray(ValueLayout.JAVA_BYTE);
        arrived.add(
                new Answer.Message(
                        MemorySegment.ofArray(bytes),
                        completion.invalidated()
                                ? OptionalInt.of(completion.invalidatedHandle())
                                : OptionalInt.empty()));
        if (queuePair.state() == QueuePair.State.READY) {
            postReceive(index);
        }
    }

    private MemorySegment buffer(int index) {
        return receives.segment().asSlice((long) index * RECEIVE_BYTES, RECEIVE_BYTES);
    }

    private void postReceive(int index) {
        queuePair.postReceive(index, receives, (long) index * RECEIVE_BYTES, RECEIVE_BYTES);
    }

    @Override
    public void close() {
        queuePair.close();
        domain.close();
        completionQueue.close();
    }
}
