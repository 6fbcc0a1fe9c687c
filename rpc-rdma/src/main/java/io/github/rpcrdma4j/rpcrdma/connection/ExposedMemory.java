package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.Sge;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one call, or of one reply, that the peer can access. It is opened as late as
 * possible and fenced as soon as the answer arrives (RFC 8166-8.1.3-1). No memory stays open beyond
 * that (RFC 8166-8.1-1, 5666-11-2). Not thread-safe.
 */
public final class ExposedMemory {
    private final ConnectionMemory memory;
    private final long segmentMax;
    private final List<MemoryWindow> windows = new ArrayList<>(0);
    private final List<MemoryRegion> registered = new ArrayList<>(0);

    /**
     * @param segmentMax the longest segment to offer, in bytes
     */
    public ExposedMemory(ConnectionMemory memory, long segmentMax) {
        this.memory = memory;
        this.segmentMax = segmentMax;
    }

    /** Returns the longest segment to offer, in bytes. */
    public long segmentMax() {
        return segmentMax;
    }

    /**
     * Opens memory to the peer and returns the segments that cover it in order (RFC 8166-3.4.4-1).
     * Their handles belong to this call alone (XCH-3.2-5).
     *
     * @param access the only access that the peer gets (RPR-7-1)
     */
    public List<Segment> expose(MemorySegment exposed, Access access) {
        var element = memory.element(exposed, registered);
        long length = exposed.byteSize();
        if (length <= segmentMax) {
            return List.of(open(element, 0, length, access));
        }
        var segments = new ArrayList<Segment>();
        for (long from = 0; from < length; from += segmentMax) {
            segments.add(open(element, from, Math.min(segmentMax, length - from), access));
        }
        return segments;
    }

    private Segment open(Sge element, long offset, long length, Access access) {
        var window = memory.open(element, offset, length, access);
        windows.add(window);
        return new Segment(window.handle(), (int) length, window.address());
    }

    /** Returns the handles of all exposed memory. */
    public List<Integer> handles() {
        return windows.stream().map(MemoryWindow::handle).toList();
    }

    /** Returns whether a handle belongs to the exposed memory. */
    public boolean holds(int handle) {
        for (var window : windows) {
            if (window.handle() == handle) {
                return true;
            }
        }
        return false;
    }

    /** Returns how many bytes were exposed. */
    public long bytes() {
        long bytes = 0;
        for (var window : windows) {
            bytes += window.length();
        }
        return bytes;
    }

    /**
     * Invalidates all windows; when it returns, the peer cannot access the memory any more
     * (XCH-3.2-4, V2-6-1). It also invalidates handles that the peer has invalidated already, which
     * is harmless. A failure for one window does not leave the others open.
     *
     * @throws IllegalStateException if the adapter cannot invalidate a window
     */
    public void fence() {
        RuntimeException failure = null;
        for (int i = 0; i < windows.size(); i++) {
            try {
                windows.get(i).invalidate();
            } catch (RuntimeException one) {
                failure = one;
            }
        }
        for (int i = 0; i < registered.size(); i++) {
            try {
                registered.get(i).close();
            } catch (RuntimeException one) {
                failure = one;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Resets this object for another call or reply. All exposed memory must be fenced. */
    public void reset() {
        windows.clear();
        registered.clear();
    }
}
