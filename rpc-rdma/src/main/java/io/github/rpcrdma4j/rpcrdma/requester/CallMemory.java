package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ExposedMemory;
import io.github.rpcrdma4j.rpcrdma.connection.WorkBatch;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.WorkRequest;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of a call: its message after room for a transport header, its leases, and its exposed
 * memory. The call owns it until it is released and its Sends have ended. Another call then reuses
 * it, so a steady stream of calls makes little garbage. Guarded by the lock of the connection,
 * except for {@link #release} and for the calling thread before the start of the call.
 *
 * <p>Tests: {@code CallMemoryOverIwarpTest}, {@code RpcRdmaOverIwarpTest}.
 */
public final class CallMemory implements Endpoint.Ending {
    /** The room for a transport header, in bytes: enough for a header with nine Read segments. */
    private static final int ROOM = 256;

    /**
     * The unused call memories of a connection. It keeps as many as were in use at a time, up to a
     * limit. Thread-safe.
     */
    public static final class Spares {
        private final ConnectionMemory memory;
        private final long segmentMax;
        private final int most;

        /** Guarded by itself, as are the fields below. */
        private final ArrayDeque<CallMemory> spare = new ArrayDeque<>();

        private boolean closed;

        /**
         * @param segmentMax the longest segment to offer, in bytes
         * @param most the most call memories to keep
         */
        public Spares(ConnectionMemory memory, long segmentMax, int most) {
            this.memory = memory;
            this.segmentMax = segmentMax;
            this.most = most;
        }

        /** Returns memory with an empty message. Its call must release it. */
        public CallMemory take() {
            synchronized (spare) {
                if (!spare.isEmpty()) {
                    return spare.removeLast();
                }
            }
            return new CallMemory(this);
        }

        private void giveBack(CallMemory unused) {
            synchronized (spare) {
                if (!closed && spare.size() < most && unused.isSmall()) {
                    spare.addLast(unused);
                    return;
                }
            }
            unused.dispose();
        }

        /** Frees all unused call memories. Those in use are freed when they are released. */
        public void close() {
            synchronized (spare) {
                closed = true;
                spare.forEach(CallMemory::dispose);
                spare.clear();
            }
        }
    }

    private final Spares home;
    private final XdrWriter message;
    private final ExposedMemory exposed;
    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);
    private final WorkBatch sending = new WorkBatch(this);
    private final ShortCall shortCall;

    /** The Send of the message with its last header, and the parameters of that header. */
    private List<WorkRequest> requests = List.of();

    private MemorySegment header = MemorySegment.NULL;
    private MemorySegment headerOwner = MemorySegment.NULL;
    private long inline;

    /** How many of its Sends are posted; guarded by this, as are the fields below. */
    private int posted;

    private boolean released;

    /** Whether another call may reuse this memory. */
    private boolean isReusable;

    private CallMemory(Spares home) {
        this.home = home;
        this.message = new XdrWriter(home.memory.pool(), ROOM);
        this.exposed = new ExposedMemory(home.memory, home.segmentMax);
        this.shortCall = new ShortCall(this);
    }

    /** Returns the writer of the message. */
    public XdrWriter message() {
        return message;
    }

    /** Returns the memory that is open to the responder. */
    public ExposedMemory exposed() {
        return exposed;
    }

    /** Turns this memory into that of a short call, whose message is written. */
    public ShortCall shortCall(int xid) {
        return shortCall.begin(xid);
    }

    /** Adds a lease that is closed together with this memory. */
    SegmentPool.Lease hold(SegmentPool.Lease lease) {
        leases.add(lease);
        return lease;
    }

    /** Leases memory that is freed together with this memory. */
    public MemorySegment lease(long bytes) {
        return hold(home.memory.pool().lease(bytes)).segment();
    }

    /**
     * Keeps the first bulk items separate from the message and copies the others into it.
     *
     * @param count how many items stay separate
     * @return the separate items, in memory that can be registered; items on the heap or in memory
     *     confined to another thread are copied
     */
    public List<BulkItem> separateItems(int count) {
        message.inlineBulkItems(count);
        var items = message.bulkItems();
        boolean all = true;
        for (int i = 0; i < items.size(); i++) {
            all &= ProtectionDomain.canRegister(items.get(i).data());
        }
        return all ? items : items.stream().map(this::readable).toList();
    }

    private BulkItem readable(BulkItem item) {
        if (ProtectionDomain.canRegister(item.data())) {
            return item;
        }
        var copy = lease(item.data().byteSize());
        return new BulkItem(
                item.position(), copy.copyFrom(item.data()), item.ordinal(), item.operation());
    }

    /** Returns the targets, with a lease of equal length for each that cannot be registered. */
    List<MemorySegment> writable(List<MemorySegment> targets) {
        boolean all = true;
        for (int i = 0; i < targets.size(); i++) {
            all &= ProtectionDomain.canRegister(targets.get(i));
        }
        if (all) {
            return targets;
        }
        return targets.stream()
                .map(each -> ProtectionDomain.canRegister(each) ? each : lease(each.byteSize()))
                .toList();
    }

    /**
     * Makes room for a header in front of the message. The message stays where it is.
     *
     * @param headerBytes the length of the header
     * @param inlineBytes how many bytes of the message follow the header: all or none
     * @return the memory for the header; it is unchanged if both lengths and the message memory are
     */
    MemorySegment reserveHeader(long headerBytes, long inlineBytes) {
        var whole = message.memory();
        if (headerOwner != whole || header.byteSize() != headerBytes || inline != inlineBytes) {
            headerOwner = whole;
            inline = inlineBytes;
            if (headerBytes <= ROOM) {
                long from = ROOM - headerBytes;
                header = whole.asSlice(from, headerBytes);
                requests = List.of(home.memory.send(whole, from, headerBytes + inlineBytes));
            } else {
                header = lease(headerBytes);
                var inlinePart = whole.asSlice(ROOM, inlineBytes);
                requests =
                        List.of(
                                home.memory.send(
                                        inlineBytes == 0
                                                ? List.of(header)
                                                : List.of(header, inlinePart)));
            }
        }
        return header;
    }

    /**
     * Returns the Send of the message with its header. The message must not change until the Send
     * has ended.
     */
    WorkBatch sending() {
        posting();
        return sending.requests(requests);
    }

    /**
     * Counts a Send of the message that is about to be posted, and returns the callback for its
     * end.
     */
    public Endpoint.Ending posting() {
        synchronized (this) {
            posted++;
        }
        return this;
    }

    /** Returns whether Sends of the message are posted. */
    public synchronized boolean isPosted() {
        return posted > 0;
    }

    @Override
    public void ended(boolean succeeded) {
        synchronized (this) {
            posted--;
            if (posted > 0 || !released) {
                return;
            }
        }
        giveBack();
    }

    /**
     * Releases the memory for its call. It is freed or reused when its Sends have ended.
     *
     * @param reusable whether another call may reuse the memory, because no late answer can reach
     *     it
     */
    public void release(boolean reusable) {
        synchronized (this) {
            isReusable = reusable;
            released = true;
            if (posted > 0) {
                return;
            }
        }
        giveBack();
    }

    private void giveBack() {
        message.clear();
        for (int i = 0; i < leases.size(); i++) {
            leases.get(i).close();
        }
        leases.clear();
        if (header.byteSize() > ROOM) {
            headerOwner = MemorySegment.NULL;
        }
        if (!isReusable) {
            dispose();
            return;
        }
        exposed.reset();
        synchronized (this) {
            released = false;
        }
        home.giveBack(this);
    }

    private boolean isSmall() {
        return message.memory().byteSize() <= PlainMessage.SMALL_BYTES && shortCall.isSmall();
    }

    private void dispose() {
        message.close();
        shortCall.dispose();
    }
}
