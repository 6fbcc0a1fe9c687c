package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A connection in a simulated world without faults. One side is an {@link Endpoint}. The other is a
 * queue pair that the test operates: it sees every message and can send any message.
 */
public final class ManualConnection {
    private static final int RECEIVES = 64;
    private static final int RECEIVE_BYTES = 16 << 10;
    private static final int READS = 8;
    private static final byte[] NO_DATA = {};

    /** A message that the other side received. */
    public record ReceivedMessage(byte[] bytes, Completion completion) {
        public Version1Header header() {
            return decoded().header();
        }

        /** Returns the bytes after the header. */
        MemorySegment payload() {
            return MemorySegment.ofArray(bytes).asSlice(decoded().length());
        }

        private Version1HeaderCodec.Decoded.Ok decoded() {
            return decode(bytes);
        }
    }

    final SimWorld world;
    final SegmentPool pool;
    final ProtectionDomain domain;
    private final ProtectionDomain otherDomain;
    public final Endpoint endpoint;
    final List<ReceivedMessage> received = new ArrayList<>();

    /** The number of posted receives at each post of the endpoint. */
    final List<Integer> receivesAtPosts = new ArrayList<>();

    /** Accepts each message that the other side receives. */
    Consumer<ReceivedMessage> onReceive = _ -> {};

    private final CompletionQueue queue;
    private final CompletionQueue otherQueue;
    private final QueuePair queuePair;
    private final QueuePair other;
    private final ManualMemory memory;
    private final List<MemorySegment> buffers = new ArrayList<>();

    /**
     * @param receiveBytes the length of every receive that the endpoint posts
     */
    public ManualConnection(int receiveBytes) {
        this(receiveBytes, SimOptions.CALM);
    }

    /**
     * @param receiveBytes the length of every receive that the endpoint posts
     * @param options the options of the world between the two sides
     */
    public ManualConnection(int receiveBytes, SimOptions options) {
        this(receiveBytes, options, new SegmentPool(1 << 24));
    }

    /**
     * @param receiveBytes the length of every receive that the endpoint posts
     * @param options the options of the world between the two sides
     * @param pool the memory of the endpoint
     */
    public ManualConnection(int receiveBytes, SimOptions options, SegmentPool pool) {
        this.pool = pool;
        world = new SimWorld(1, options);
        domain = world.provider().allocateProtectionDomain();
        otherDomain = world.provider().allocateProtectionDomain();
        queue = world.provider().createCompletionQueue();
        otherQueue = world.provider().createCompletionQueue();
        queuePair = queuePair(domain, queue);
        other = queuePair(otherDomain, otherQueue);
        endpoint =
                new Endpoint(
                        new ConnectionMemory(
                                new WatchedPair(queuePair, _ -> posts()), domain, pool),
                        receiveBytes,
                        () -> {});
        memory = new ManualMemory(otherDomain, other);
        for (int i = 0; i < RECEIVES; i++) {
            buffers.add(Arena.ofAuto().allocate(RECEIVE_BYTES));
            memory.postReceive(i, buffers.get(i));
        }
    }

    private void posts() {
        receivesAtPosts.add(endpoint.postedReceives());
    }

    private QueuePair queuePair(ProtectionDomain of, CompletionQueue completions) {
        return world.provider()
                .createQueuePair(
                        new QueuePairOptions(
                                of,
                                completions,
                                Endpoint.SEND_QUEUE_SIZE,
                                RECEIVES,
                                READS,
                                READS,
                                Endpoint.GATHER_MAX));
    }

    /**
     * Connects.
     *
     * @param completed accepts the completions of the endpoint
     */
    public void connect(Consumer<Completion> completed) throws Exception {
        var ours =
                new SimulatedEnd(
                        queuePair, NO_DATA, queue, completions -> completions.forEach(completed));
        ours.connect(
                world,
                new SimulatedEnd(
                        other,
                        NO_DATA,
                        otherQueue,
                        completions -> completions.forEach(this::receive)));
    }

    private void receive(Completion completion) {
        if (completion.operation() == Completion.Operation.RECEIVE && completion.succeeded()) {
            var message =
                    buffers.get((int) completion.workRequestId()).asSlice(0, completion.length());
            received.add(new ReceivedMessage(message.toArray(ValueLayout.JAVA_BYTE), completion));
            onReceive.accept(received.getLast());
        }
    }

    /** Sends a message from the other side, and runs the world until it is idle. */
    public void send(byte[] message) {
        send(message, OptionalInt.empty());
    }

    /** Sends a message that invalidates a handle, and runs the world until it is idle. */
    public void send(byte[] message, OptionalInt invalidate) {
        post(message, invalidate);
        world.settle();
    }

    /** Posts a message at the other side, and does not run the world. */
    public void post(byte[] message, OptionalInt invalidate) {
        other.post(List.of(memory.send(0, message, invalidate)));
    }

    /** Writes bytes from the other side to memory that the endpoint offers or offered. */
    public void write(byte[] bytes, Segment target) {
        other.post(List.of(memory.write(0, bytes, target)));
        world.settle();
    }

    /** Reads, from the other side, memory that the endpoint offers or offered. */
    public void read(Segment source) {
        other.post(List.of(memory.read(0, memory.sink(source.size()), source)));
        world.settle();
    }

    public void send(Version1Header header, byte[] payload) {
        send(message(header, payload));
    }

    /** Decodes the header of a message of version 1. */
    public static Version1HeaderCodec.Decoded.Ok decode(byte[] message) {
        return assertInstanceOf(
                Version1HeaderCodec.Decoded.Ok.class,
                Version1HeaderCodec.decode(MemorySegment.ofArray(message)));
    }

    /** Returns a header with a payload behind it. */
    public static byte[] message(TransportHeader header, byte[] payload) {
        int length = header.encodedLength();
        byte[] message = new byte[length + payload.length];
        header.encode(MemorySegment.ofArray(message));
        System.arraycopy(payload, 0, message, length, payload.length);
        return message;
    }

    /** Returns a call with its transport header in front, as a Send has it. */
    public static byte[] call(int xid, int credits, RpcCall call, ChunkLists chunks) {
        try (var out = new XdrWriter(new SegmentPool(1 << 20))) {
            CallHeader.encode(
                    out, xid, call.program(), call.version(), call.procedure(), RawAuth.NONE);
            call.arguments().accept(out);
            return message(
                    new Version1Header.Msg(xid, credits, chunks),
                    out.reducedStream().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Registers memory at the other side and offers it to the endpoint. */
    public Offer offer(int length, Access access) {
        return memory.offer(length, access);
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /** Returns the number of bound windows of the other side. */
    public int otherWindows() {
        return other.boundWindows();
    }

    /** Returns the number of bound windows of the endpoint. */
    public int windows() {
        return queuePair.boundWindows();
    }

    public QueuePair.State state() {
        return queuePair.state();
    }

    /** Returns the only message that the other side received. */
    public ReceivedMessage onlyMessage() {
        assertEquals(1, received.size());
        return received.getFirst();
    }
}
