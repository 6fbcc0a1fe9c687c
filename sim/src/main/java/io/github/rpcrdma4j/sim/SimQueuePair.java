package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.Completion.Operation;
import io.github.rpcrdma4j.verbs.Completion.Status;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import io.github.rpcrdma4j.verbs.software.SoftwareWindows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One end of a connection in a world. Tests: {@code SimWorldTest}, {@code SimContractTest}. */
final class SimQueuePair implements QueuePair {
    private static final String PEER_ENDED = "the peer ended the connection: ";

    private record Posted(long id, Sge buffer) {}

    /** A posted work request and its status. */
    private static final class Work {
        final WorkRequest request;
        Status status;

        Work(WorkRequest request) {
            this.request = request;
        }

        /** Returns how many bytes the work request transfers. */
        long length() {
            return request.bytes();
        }
    }

    private final SimWorld world;
    private final int number;
    private final QueuePairOptions options;
    private final SimTap tap;
    private final SoftwareDomain domain;
    private final SoftwareWindows windows;
    private final SimCompletionQueue completions;
    private final ArrayDeque<Posted> receives = new ArrayDeque<>();
    private final ArrayDeque<Work> works = new ArrayDeque<>();
    private final ArrayDeque<Work> unsent = new ArrayDeque<>();

    /** Work in the order of leaving. Until it leaves, its bytes lie in the caller's memory. */
    private final ArrayDeque<Runnable> leaving = new ArrayDeque<>();

    private final SimTarget memory;

    private SimQueuePair other;
    private State state = State.INITIALIZED;
    private String failure;
    private InetSocketAddress peer;
    private long lastDeparture;
    private long lastArrival;
    private int readsOut;

    SimQueuePair(SimWorld world, QueuePairOptions options, SimTap tap) {
        this.world = world;
        this.number = world.nextQueuePair();
        this.options = options;
        this.tap = tap;
        this.domain = SoftwareDomain.of(options.domain());
        this.completions = SimCompletionQueue.of(options.completionQueue());
        this.windows = domain.windows();
        this.memory = new SimTarget(world, windows);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public Optional<UnknownHandle> unknownHandle() {
        return memory.unknownHandle();
    }

    @Override
    public InetSocketAddress peer() {
        return peer;
    }

    @Override
    public byte[] connect(InetSocketAddress address, byte[] privateData, Duration timeout)
            throws RdmaException, InterruptedException {
        requireInitialized();
        requireShort(privateData);
        var listener = world.listener(address);
        if (listener == null) {
            throw new RdmaException.Unreachable("no listener at " + address, null);
        }
        var from = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        var request = listener.new Request(this, from, privateData);
        world.after(world.transit(), () -> listener.arrive(request));
        world.await(() -> request.isOver() || state == State.ERROR, timeout.toNanos());
        byte[] reply = request.reply();
        if (reply != null) {
            return reply;
        }
        request.abandon();
        if (state == State.ERROR) {
            throw new RdmaException.ConnectionLost(
                    "the connection to " + address + " was lost at once", null);
        }
        throw new RdmaException.TimedOut("no answer from " + address);
    }

    static void requireShort(byte[] privateData) {
        if (privateData.length > PRIVATE_DATA_MAX) {
            throw new IllegalArgumentException(
                    "the private data is longer than " + PRIVATE_DATA_MAX + " bytes");
        }
    }

    void requireInitialized() {
        if (state != State.INITIALIZED) {
            throw new IllegalStateException("a queue pair connects once");
        }
    }

    void connected(SimQueuePair peerEnd, InetSocketAddress address) {
        requireInitialized();
        other = peerEnd;
        peer = address;
        state = State.READY;
        world.opened();
    }

    @Override
    public void postReceive(long workRequestId, MemoryRegion region, long offset, long length) {
        world.yieldToOthers();
        var buffer = new Sge(domain.requireWritable(region), offset, length);
        if (state == State.ERROR) {
            throw new IllegalStateException("the queue pair is no longer connected");
        }
        if (receives.size() == options.receiveQueueSize()) {
            throw new IllegalStateException("the receive queue is full");
        }
        receives.addLast(new Posted(workRequestId, buffer));
    }

    @Override
    public MemoryWindow bind(MemoryRegion region, long offset, long length, Set<Access> access) {
        world.yieldToOthers();
        if (state == State.INITIALIZED) {
            throw new IllegalStateException("the queue pair is not connected");
        }
        tap.bound();
        return windows.bind(region, offset, length, access);
    }

    @Override
    public int boundWindows() {
        return windows.size();
    }

    @Override
    public void post(List<WorkRequest> requests) {
        world.yieldToOthers();
        requests.forEach(each -> windows.requireValid(each, options.gatherMax()));
        requests.forEach(tap::posted);
        if (state == State.INITIALIZED) {
            throw new IllegalStateException("the queue pair is not connected");
        }
        if (state == State.ERROR) {
            requests.forEach(request -> complete(new Work(request), Status.FLUSHED));
            return;
        }
        if (works.size() + requests.size() > options.sendQueueSize()) {
            throw new IllegalStateException("the send queue is full");
        }
        if (world.failsToPost()) {
            throw new SimWorld.FailedPost();
        }
        for (var request : requests) {
            var work = new Work(request);
            works.addLast(work);
            unsent.addLast(work);
        }
        send();
    }

    /** Schedules all unsent work that may leave. RDMA Reads beyond the agreed depth wait. */
    private void send() {
        while (!unsent.isEmpty() && state == State.READY) {
            var work = unsent.getFirst();
            if (work.request instanceof WorkRequest.Read) {
                int depth = Math.min(options.outboundReads(), other.options.inboundReads());
                if (depth == 0) {
                    lose("an RDMA Read was posted, but no RDMA Reads were agreed on");
                    return;
                }
                if (readsOut >= depth) {
                    return;
                }
                readsOut++;
            }
            unsent.removeFirst();
            leaving.addLast(() -> leave(work));
            lastDeparture = Math.max(lastDeparture, world.nanoTime() + world.delay());
            world.after(lastDeparture - world.nanoTime(), this::leaveNext);
        }
    }

    private void leaveNext() {
        var next = leaving.pollFirst();
        if (next == null) {
            return;
        }
        if (world.loses()) {
            loseByChance();
            return;
        }
        next.run();
    }

    /**
     * Carries out a work request at the wire. Bytes are copied only now, so a caller that reuses
     * memory before its completion sends wrong bytes.
     */
    private void leave(Work work) {
        switch (work.request) {
            case WorkRequest.Send send -> {
                byte[] bytes = flatten(send, send.gather());
                arrive(() -> other.received(send, bytes));
                world.after(world.delay(), () -> end(work, Status.SUCCESS));
            }
            case WorkRequest.Write write -> {
                byte[] bytes = flatten(write, write.gather());
                arrive(() -> other.written(write, bytes));
                world.after(world.delay(), () -> end(work, Status.SUCCESS));
            }
            case WorkRequest.Read read -> arrive(() -> other.readRequest(this, work, read));
            case WorkRequest.Invalidate invalidate -> {
                invalidate.window().invalidate();
                end(work, Status.SUCCESS);
            }
        }
    }

    /**
     * Schedules an arrival at the other end. Arrivals keep the order of sending, even with random
     * delays.
     */
    void arrive(Runnable what) {
        lastArrival = Math.max(lastArrival, world.nanoTime() + world.transit());
        world.after(lastArrival - world.nanoTime(), what);
    }

    private static byte[] flatten(WorkRequest request, List<Sge> gather) {
        byte[] bytes = new byte[Math.toIntExact(request.bytes())];
        int at = 0;
        for (var piece : gather) {
            MemorySegment.copy(
                    piece.region().segment(),
                    ValueLayout.JAVA_BYTE,
                    piece.offset(),
                    bytes,
                    at,
                    (int) piece.length());
            at += (int) piece.length();
        }
        return bytes;
    }

    private void received(WorkRequest.Send send, byte[] bytes) {
        if (state != State.READY) {
            return;
        }
        placeAll();
        if (state != State.READY) {
            return;
        }
        var receive = receives.pollFirst();
        if (receive == null) {
            lose("the peer sent a message for which no receive was posted");
            return;
        }
        if (receive.buffer.length() < bytes.length) {
            complete(receive, Status.LOCAL_LENGTH_ERROR, 0, false, 0);
            lose("the peer sent a message longer than the receive posted for it");
            return;
        }
        if (!receive.buffer.region().isValid()) {
            complete(receive, Status.LOCAL_ACCESS_ERROR, 0, false, 0);
            lose("the memory of a receive was invalidated before it was filled");
            return;
        }
        if (send.invalidate().isPresent() && !memory.invalidated(send.invalidate().getAsInt())) {
            receives.addFirst(receive);
            lose("the peer invalidated an unknown handle");
            return;
        }
        SimTarget.place(bytes, receive.buffer.region().segment(), receive.buffer.offset());
        complete(
                receive,
                Status.SUCCESS,
                bytes.length,
                send.invalidate().isPresent(),
                send.invalidate().orElse(0));
    }

    private void written(WorkRequest.Write write, byte[] bytes) {
        if (state != State.READY || bytes.length == 0) {
            return;
        }
        memory.written(write, bytes);
        if (world.random().nextBoolean()) {
            placeAll();
        } else {
            world.after(world.delay(), this::placeAll);
        }
    }

    private void placeAll() {
        if (state == State.READY && !memory.placeAll()) {
            lose("the peer wrote where it must not");
        }
    }

    /** Answers an RDMA Read of the other end from this end's memory. */
    private void readRequest(SimQueuePair reader, Work work, WorkRequest.Read read) {
        if (state != State.READY) {
            return;
        }
        if (world.loses()) {
            loseByChance();
            return;
        }
        byte[] data = memory.read(read);
        if (data == null) {
            var why = "the peer read where it must not";
            fail(why);
            world.after(world.transit(), () -> reader.refused(work, why));
            return;
        }
        world.after(world.transit(), () -> reader.readResponse(work, read, data));
    }

    private void refused(Work work, String why) {
        if (state == State.READY) {
            work.status = Status.REMOTE_ACCESS_ERROR;
            fail(PEER_ENDED + why);
        }
    }

    private void readResponse(Work work, WorkRequest.Read read, byte[] bytes) {
        if (state != State.READY) {
            return;
        }
        if (!read.sink().region().isValid()) {
            work.status = Status.LOCAL_ACCESS_ERROR;
            lose("the sink of an RDMA Read was invalidated while it was filled");
            return;
        }
        SimTarget.place(bytes, read.sink().region().segment(), read.sink().offset());
        readsOut--;
        end(work, Status.SUCCESS);
        send();
    }

    private void end(Work work, Status status) {
        if (work.status == null) {
            work.status = status;
        }
        while (!works.isEmpty() && works.getFirst().status != null) {
            var done = works.removeFirst();
            complete(done, done.status);
        }
    }

    private void complete(Work work, Status status) {
        var operation =
                switch (work.request) {
                    case WorkRequest.Send _ -> Operation.SEND;
                    case WorkRequest.Write _ -> Operation.WRITE;
                    case WorkRequest.Read _ -> Operation.READ;
                    case WorkRequest.Invalidate _ -> Operation.INVALIDATE;
                };
        var signal = status == Status.SUCCESS ? work.request.signal() : Signal.SIGNALED;
        if (signal != Signal.UNSIGNALED) {
            complete(
                    new Completion(
                            this, work.request.id(), operation, status, work.length(), false, 0),
                    signal);
        }
    }

    private void complete(
            Posted receive, Status status, long length, boolean invalidated, int handle) {
        complete(
                new Completion(
                        this, receive.id, Operation.RECEIVE, status, length, invalidated, handle),
                Signal.SIGNALED);
    }

    private void complete(Completion completion, Signal signal) {
        world.note(number, completion);
        completions.add(completion, signal);
    }

    /**
     * Returns the number of the queue pair. It is equal in every run of a seed, so hash tables of
     * queue pairs iterate in one order.
     */
    @Override
    public int hashCode() {
        return number;
    }

    /** Returns whether {@code other} is this object. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return "queue pair " + number;
    }

    /** Breaks the connection at this end. The other end fails one transit later. */
    private void lose(String why) {
        var peerEnd = other;
        fail(why);
        world.after(world.transit(), () -> peerEnd.fail(PEER_ENDED + why));
    }

    private void loseByChance() {
        var why = "the connection was lost";
        var peerEnd = other;
        fail(why);
        world.after(world.transit(), () -> peerEnd.fail(why));
    }

    void fail(String why) {
        if (state == State.ERROR) {
            return;
        }
        if (state == State.READY) {
            world.ended();
        }
        state = State.ERROR;
        failure = why;
        world.note(number, why == null ? "closed" : why);
        unsent.clear();
        leaving.clear();
        memory.clear();
        flushWorks();
        while (!receives.isEmpty()) {
            complete(receives.removeFirst(), Status.FLUSHED, 0, false, 0);
        }
    }

    /** Flushes all work. Work that succeeded after unfinished work is flushed with it. */
    private void flushWorks() {
        while (!works.isEmpty()) {
            var work = works.removeFirst();
            boolean failed = work.status != null && work.status != Status.SUCCESS;
            complete(work, failed ? work.status : Status.FLUSHED);
        }
    }

    @Override
    public void close(Duration grace) {
        if (state == State.READY) {
            // Earlier work is still sent. The end of the connection arrives after it.
            while (!leaving.isEmpty()) {
                leaving.removeFirst().run();
            }
            var peerEnd = other;
            arrive(() -> peerEnd.fail(null));
        }
        fail(null);
        windows.close();
    }
}
