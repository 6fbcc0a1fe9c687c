package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/**
 * The memory windows of one queue pair, as a table from handle to window. Lookup, binding and
 * invalidation take constant time, independent of the number of windows. Thread-safe.
 *
 * <p>Only the queue pair of a window finds its handle (RFC 8166-8.1.1-1, 5666-11-3, 5041-8.2-1).
 *
 * <p>Tests: {@code IwarpCrcContractTest}, {@code SimContractTest}.
 */
public final class SoftwareWindows {
    /** The most windows of one queue pair, which limits the cost of a leak. */
    public static final int WINDOWS_MAX = 1 << 20;

    private static final int ENDED_REMEMBERED = 1024;
    private static final int DRAWN_BYTES = 1200;

    private final SoftwareDomain domain;
    private final RandomGenerator random;
    private final ConcurrentHashMap<Integer, SoftwareWindow> windows = new ConcurrentHashMap<>();

    /**
     * Random bytes that were drawn and not used yet. A secure source returns many bytes in the time
     * of few.
     */
    private final ByteBuffer drawn = ByteBuffer.allocate(DRAWN_BYTES).limit(0);

    /** A ring of the handles that ended last. */
    private final int[] endedHandles = new int[ENDED_REMEMBERED];

    private int endedCount;

    /** Whether the queue pair is closed. */
    private volatile boolean closed;

    SoftwareWindows(SoftwareDomain domain, RandomGenerator random) {
        this.domain = domain;
        this.random = random;
    }

    /**
     * Opens memory to the peer.
     *
     * @throws IllegalArgumentException if the region is not a valid region of the domain, is too
     *     short, or is read-only and remote writes are requested
     * @throws IllegalStateException if there are too many windows
     */
    public SoftwareWindow bind(MemoryRegion of, long offset, long length, Set<Access> access) {
        var region = domain.require(of);
        Sge.requireWithin(region, offset, length);
        if (access.contains(Access.REMOTE_WRITE) && !region.isWritable()) {
            throw new IllegalArgumentException("a peer cannot write to read-only memory");
        }
        if (windows.size() >= WINDOWS_MAX) {
            throw new IllegalStateException("the queue pair has too many windows");
        }
        region.bind();
        while (true) {
            // A peer can neither guess a handle nor know it from an earlier window (RFC
            // 8166-8.1.2-1). The address is in the lower half of all addresses, so no address in
            // the window wraps.
            long address = drawAddress();
            var window =
                    new SoftwareWindow(this, region, drawHandle(), address, offset, length, access);
            if (windows.putIfAbsent(window.handle(), window) == null) {
                return requireOpen(window);
            }
        }
    }

    /**
     * Ends a window if its domain is closed. The domain may have ended its windows before this one
     * was in the table.
     */
    private SoftwareWindow requireOpen(SoftwareWindow window) {
        if (closed) {
            // The table may have been empty, and so have left its domain.
            synchronized (this) {
                domain.keep(this);
            }
        }
        if (domain.isClosed()) {
            window.invalidate();
            throw new IllegalStateException("the protection domain is closed");
        }
        return window;
    }

    /** Returns a handle that a peer cannot guess. A window may already have it. */
    public int drawHandle() {
        synchronized (drawn) {
            return drawn(Integer.BYTES).getInt();
        }
    }

    /** Returns an address that a peer cannot guess, in the lower half of all addresses. */
    public long drawAddress() {
        synchronized (drawn) {
            return drawn(Long.BYTES).getLong() & Long.MAX_VALUE;
        }
    }

    private ByteBuffer drawn(int bytes) {
        if (drawn.remaining() < bytes) {
            random.nextBytes(drawn.array());
            drawn.clear();
        }
        return drawn;
    }

    /** Returns the valid window of a handle, or null. */
    public SoftwareWindow find(int handle) {
        return windows.get(handle);
    }

    /** Returns the number of valid windows. */
    public int size() {
        return windows.size();
    }

    /**
     * Returns whether a handle was among the last 1024 to end. A peer may invalidate a handle that
     * this side has just invalidated, which is no error.
     */
    public synchronized boolean endedRecently(int handle) {
        for (int i = 0; i < Math.min(endedCount, ENDED_REMEMBERED); i++) {
            if (endedHandles[i] == handle) {
                return true;
            }
        }
        return false;
    }

    void forget(SoftwareWindow window) {
        windows.remove(window.handle(), window);
        synchronized (this) {
            endedHandles[endedCount % ENDED_REMEMBERED] = window.handle();
            // The count only gives the fill level of the ring and the next index.
            endedCount = endedCount + 1 == 2 * ENDED_REMEMBERED ? ENDED_REMEMBERED : endedCount + 1;
        }
        leaveDomain();
    }

    /** Invalidates all windows. */
    void invalidateAll() {
        windows.values().forEach(SoftwareWindow::invalidate);
    }

    /**
     * Records that the queue pair is closed. Does not invalidate the windows: the domain keeps the
     * table until it is empty, and ends its windows if it is closed before.
     */
    public void close() {
        closed = true;
        leaveDomain();
    }

    private void leaveDomain() {
        if (closed) {
            synchronized (this) {
                if (windows.isEmpty()) {
                    domain.forget(this);
                }
            }
        }
    }

    /**
     * Checks that a work request uses only memory that it may use.
     *
     * @throws IllegalArgumentException if a region is not a valid region of the domain, the sink of
     *     an RDMA Read is read-only, the request gathers too many elements, or a window belongs to
     *     another queue pair
     */
    public void requireValid(WorkRequest request, int gatherMax) {
        switch (request) {
            case WorkRequest.Send send -> domain.requireGather(send.gather(), gatherMax);
            case WorkRequest.Write write -> domain.requireGather(write.gather(), gatherMax);
            // RFC 5040-5.2.1-3.
            case WorkRequest.Read read -> domain.requireWritable(read.sink().region());
            case WorkRequest.Invalidate invalidate -> {
                if (!(invalidate.window() instanceof SoftwareWindow window)
                        || !window.belongsTo(this)) {
                    throw new IllegalArgumentException("the window belongs to another queue pair");
                }
            }
        }
    }
}
