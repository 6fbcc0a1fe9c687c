package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.sim.Mutation;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A simulated world with one connection between our end and a hostile end. Either end connects to
 * the other. The private data of the hostile end may be damaged.
 */
public final class HostileEnd implements AutoCloseable {
    private static final int RECEIVES = 16;
    private static final int RECEIVE_BYTES = 8192;
    private static final int READS = 4;
    private static final int QUEUE = 64;

    public final SimWorld world;
    public final RandomGenerator random;
    final SegmentPool pool = new SegmentPool(1 << 22);
    final ProtectionDomain domain;
    public final QueuePair queuePair;
    public final HostileMessageSource source;

    /** The messages that the hostile end received and the test has not checked yet. */
    public final List<byte[]> received = new ArrayList<>();

    private final CompletionQueue queue;
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain otherDomain;
    private final CompletionQueue otherQueue;
    private final QueuePair other;
    private final ManualMemory memory;
    private final List<MemorySegment> buffers = new ArrayList<>();
    private QueuePair met;

    /**
     * @param receives the most receives that our end posts
     */
    public HostileEnd(long seed, int receives) {
        this(seed, receives, HeaderFormat.VERSION_1);
    }

    /**
     * @param format the transport headers of messages of the hostile end
     */
    public HostileEnd(long seed, int receives, HeaderFormat format) {
        world = new SimWorld(seed, SimOptions.CALM);
        random = world.random();
        domain = world.provider().allocateProtectionDomain();
        otherDomain = world.provider().allocateProtectionDomain();
        queue = world.provider().createCompletionQueue();
        otherQueue = world.provider().createCompletionQueue();
        queuePair = pair(domain, queue, Endpoint.SEND_QUEUE_SIZE, receives);
        met = queuePair;
        other = pair(otherDomain, otherQueue, QUEUE, RECEIVES);
        memory = new ManualMemory(otherDomain, other);
        source = new HostileMessageSource(random, format, this::offer);
        for (int i = 0; i < RECEIVES; i++) {
            buffers.add(arena.allocate(RECEIVE_BYTES));
            memory.postReceive(i, buffers.get(i));
        }
    }

    private QueuePair pair(
            ProtectionDomain of, CompletionQueue completions, int sends, int receives) {
        return world.provider()
                .createQueuePair(
                        new QueuePairOptions(
                                of,
                                completions,
                                sends,
                                receives,
                                READS,
                                READS,
                                Endpoint.GATHER_MAX));
    }

    private Offer offer(Access access) {
        return memory.offer(arena.allocate(HostileMessageSource.regionBytes()), access);
    }

    /** Returns the memory of our end for one of its queue pairs. */
    ConnectionMemory memory(QueuePair own) {
        return new ConnectionMemory(own, domain, pool);
    }

    /** Returns the given private data, or a damaged copy. */
    public byte[] privateData(byte[] right) {
        byte[] said = random.nextBoolean() ? right : Mutation.of(right, right, random);
        return said.length > QueuePair.PRIVATE_DATA_MAX ? right : said;
    }

    /**
     * Connects the hostile end to our end.
     *
     * @param said the private data of the hostile end
     * @param own the private data of our end
     * @param completed accepts the completions of our end
     */
    void accept(byte[] said, byte[] own, Consumer<Completion> completed) throws Exception {
        hostile(said).connect(world, ours(own, completed));
    }

    /**
     * Connects our end to the hostile end.
     *
     * @param own the private data of our end
     * @param said the private data of the hostile end
     * @param completed accepts the completions of our end
     * @return the private data that our end received
     */
    byte[] connect(byte[] own, byte[] said, Consumer<Completion> completed) throws Exception {
        return ours(own, completed).connect(world, hostile(said));
    }

    /** Connects a client, in place of our end, to the hostile end. */
    public void meetClient(SimulatedSide client, byte[] said) throws Exception {
        met = client.endpoint().queuePair();
        client.simulated().connect(world, hostile(said));
    }

    /** Connects the hostile end to a server, in place of our end. */
    public void meetServer(SimulatedSide server, byte[] said) throws Exception {
        met = server.endpoint().queuePair();
        hostile(said).connect(world, server.simulated());
    }

    private SimulatedEnd hostile(byte[] said) {
        return new SimulatedEnd(other, said, otherQueue, each -> each.forEach(this::receive));
    }

    private SimulatedEnd ours(byte[] own, Consumer<Completion> completed) {
        return new SimulatedEnd(queuePair, own, queue, each -> each.forEach(completed));
    }

    private void receive(Completion completion) {
        if (completion.operation() == Completion.Operation.RECEIVE && completion.succeeded()) {
            int index = (int) completion.workRequestId();
            var buffer = buffers.get(index);
            received.add(buffer.asSlice(0, completion.length()).toArray(ValueLayout.JAVA_BYTE));
            if (other.state() == QueuePair.State.READY) {
                memory.postReceive(index, buffer);
            }
        }
    }

    /** Sends a message from the hostile end, and runs the world until it is idle. */
    public void send(byte[] message, OptionalInt invalidate) {
        post(memory.send(0, message, invalidate));
    }

    /** Writes data from the hostile end to any address, and runs the world until it is idle. */
    void write(byte[] data, int handle, long address) {
        post(new WorkRequest.Write(0, memory.gather(data), handle, address));
    }

    private void post(WorkRequest request) {
        other.post(List.of(request));
        world.settle();
    }

    public boolean isUp() {
        return met.state() == QueuePair.State.READY && other.state() == QueuePair.State.READY;
    }

    /** Closes the hostile end. */
    public void leave() {
        other.close();
        world.settle();
    }

    @Override
    public void close() {
        leave();
        otherDomain.close();
        arena.close();
    }
}
