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
 * The memory windows of one queue pair, as a table from handle to window. Looking up, binding and
 * invalidating cost as much for one window as for a hundred thousand. Thread-safe.
 *
 * <p>A handle is found by its own queue pair and nowhere else (RFC 8166-8.1.1-1, 5666-11-3,
 * 5041-8.2-1).
 */
public final class SoftwareWindows {
    /** The most windows of one queue pair: a bound on what a leak can cost. */
    public static final int WINDOWS_MAX = 1 << 20;

    private static final int DEAD_REMEMBERED = 1024;
    private static final int DRAWN_BYTES = 1200;

    private final SoftwareDomain domain;
    private final RandomGenerator random;
    private final ConcurrentHashMap<Integer, SoftwareWindow> windows = new ConcurrentHashMap<>();

    /** What was drawn and not used: a secure source gives many bytes in the time of few. */
    private final ByteBuffer drawn = ByteBuffer.allocate(DRAWN_BYTES).limit(0);

    /** The newest handles that died, in a ring. */
    private final int[] dead = new int[DEAD_REMEMBERED];

    private int deaths;

    SoftwareWindows(SoftwareDomain domain, RandomGenerator random) {
        this.domain = domain;
        this.random = random;
    }

    /**
     * Opens memory to the peer.
     *
     * @throws IllegalArgumentException if the region is not a valid one of the domain, or too
     *     short, or read-only and to be written
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
            // 8166-8.1.2-1). The address leaves room for the window, so that no sum in it wraps.
            long address = drawAddress();
            var window =
                    new SoftwareWindow(this, region, drawHandle(), address, offset, length, access);
            if (windows.putIfAbsent(window.handle(), window) == null) {
                return requireOpen(window);
            }
        }
    }

    /** The domain may have been closed, and its windows ended, before this one was among them. */
    private SoftwareWindow requireOpen(SoftwareWindow window) {
        if (domain.isClosed()) {
            window.invalidate();
            throw new IllegalStateException("the protection domain is closed");
        }
        return window;
    }

    /** A handle that a peer cannot guess; it may be one of a window. */
    public int drawHandle() {
        synchronized (drawn) {
            return drawn(Integer.BYTES).getInt();
        }
    }

    /** An address that a peer cannot guess, in the lower half of all. */
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

    /** The valid window of that handle, or null. */
    public SoftwareWindow find(int handle) {
        return windows.get(handle);
    }

    /** How many windows are valid. */
    public int size() {
        return windows.size();
    }

    /**
     * Whether a handle died not long ago. A peer may invalidate a handle that this side has just
     * invalidated by itself; that is no fault.
     */
    public synchronized boolean hadRecently(int handle) {
        for (int i = 0; i < Math.min(deaths, DEAD_REMEMBERED); i++) {
            if (dead[i] == handle) {
                return true;
            }
        }
        return false;
    }

    void forget(SoftwareWindow window) {
        windows.remove(window.handle(), window);
        synchronized (this) {
            dead[deaths % DEAD_REMEMBERED] = window.handle();
            // The count only tells how much of the ring is filled, and where it goes on.
            deaths = deaths + 1 == 2 * DEAD_REMEMBERED ? DEAD_REMEMBERED : deaths + 1;
        }
    }

    /** Ends all windows. */
    void invalidateAll() {
        windows.values().forEach(SoftwareWindow::invalidate);
    }

    /** The queue pair is closed: its domain need not know these windows any more. */
    public void close() {
        domain.forget(this);
    }

    /**
     * Refuses work that names memory it must not.
     *
     * @throws IllegalArgumentException if a region is not a valid one of the domain, an RDMA Read
     *     places into read-only memory, there are more elements than may be gathered, or a window
     *     is of another queue pair
     */
    public void requireSound(WorkRequest request, int gatherMax) {
        switch (request) {
            case WorkRequest.Send send -> domain.requireGather(send.gather(), gatherMax);
            case WorkRequest.Write write -> domain.requireGather(write.gather(), gatherMax);
            // RFC 5040-5.2.1-3.
            case WorkRequest.Read read -> domain.requireWritable(read.sink().region());
            case WorkRequest.Invalidate invalidate -> {
                if (!(invalidate.window() instanceof SoftwareWindow window)
                        || !window.belongsTo(this)) {
                    throw new IllegalArgumentException("the window is of another queue pair");
                }
            }
        }
    }
}
