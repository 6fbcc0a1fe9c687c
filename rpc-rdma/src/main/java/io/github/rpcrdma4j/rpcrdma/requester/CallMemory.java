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
 * The memory of a call: its message, behind room for a transport header, and what it holds and
 * exposes beside that. The call has it until it was released and its Sends have ended; then another
 * call has it, so a steady stream of calls makes little garbage. Guarded by the lock of the
 * connection, but for what the thread that makes the call does before it starts it, and for {@link
 * #release}.
 */
public final class CallMemory implements Endpoint.Ending {
    /** Nearly every header fits: an empty one, and nine segments. */
    private static final int ROOM = 256;

    /**
     * Memory for calls to come. It keeps as much as was in use at a time, up to a limit.
     * Thread-safe.
     */
    public static final class Spares {
        private final ConnectionMemory memory;
        private final long segmentMax;
        private final int most;

        /** Guarded by itself, as is what follows. */
        private final ArrayDeque<CallMemory> spare = new ArrayDeque<>();

        private boolean closed;

        /**
         * @param segmentMax the longest segment to offer, in bytes
         * @param most of how many calls the memory is kept
         */
        public Spares(ConnectionMemory memory, long segmentMax, int most) {
            this.memory = memory;
            this.segmentMax = segmentMax;
            this.most = most;
        }

        /** Memory with an empty message, for a call that releases it. */
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

        /** Gives back what is not in use, and from now on whatever is not in use any more. */
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

    /** The Send of the message as it was framed last, and of what. */
    private List<WorkRequest> requests = List.of();

    private MemorySegment header = MemorySegment.NULL;
    private MemorySegment framed = MemorySegment.NULL;
    private long inline;

    /** How many of its Sends are posted; guarded by this, as is what follows. */
    private int posted;

    private boolean released;

    /** Whether another call may have it. */
    private boolean isReusable;

    private CallMemory(Spares home) {
        this.home = home;
        this.message = new XdrWriter(home.memory.pool(), ROOM);
        this.exposed = new ExposedMemory(home.memory, home.segmentMax);
        this.shortCall = new ShortCall(this);
    }

    /** Where the message is written. */
    public XdrWriter message() {
        return message;
    }

    /** What is open to the responder. */
    public ExposedMemory exposed() {
        return exposed;
    }

    /** From now on it is that of a short call whose message was written. */
    public ShortCall shortCall(int xid) {
        return shortCall.begin(xid);
    }

    /** Memory that is given back together with this. */
    SegmentPool.Lease hold(SegmentPool.Lease lease) {
        leases.add(lease);
        return lease;
    }

    /** Leases memory that is given back together with this. */
    public MemorySegment lease(long bytes) {
        return hold(home.memory.pool().lease(bytes)).segment();
    }

    /**
     * Leaves the first bulk items of the message apart and takes the others in.
     *
     * @return those that are apart, in memory that can be registered: copies of what lies on the
     *     heap, or is another thread's alone
     */
    public List<BulkItem> apart(int count) {
        message.takeIn(count);
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
        return new BulkItem(item.position(), copy.copyFrom(item.data()), item.ordinal());
    }

    /** The targets; in place of those that cannot be registered, memory as long as they are. */
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
     * @param inlineBytes how much of the message is sent behind it: all or nothing
     * @return where the header goes; it has not changed if the lengths and the memory have not
     */
    MemorySegment frame(long headerBytes, long inlineBytes) {
        var whole = message.memory();
        if (framed != whole || header.byteSize() != headerBytes || inline != inlineBytes) {
            framed = whole;
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

    /** The Send of the message as it was framed; its bytes cannot change until that has ended. */
    WorkBatch sending() {
        posting();
        return sending.of(requests);
    }

    /** A Send of the message is about to be posted; is told of its end. */
    public Endpoint.Ending posting() {
        synchronized (this) {
            posted++;
        }
        return this;
    }

    /** Whether Sends of it are posted. */
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
     * The call needs it no more.
     *
     * @param reusable whether another call may have it: no late answer reaches this one
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
            framed = MemorySegment.NULL;
        }
        if (!isReusable) {
            dispose();
            return;
        }
        exposed.forget();
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
