package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import java.lang.foreign.MemorySegment;

/**
 * Memory that an end of a test exposes to the other end.
 *
 * @param segment the memory itself
 */
public record Offer(MemoryWindow window, MemorySegment segment) {
    public int handle() {
        return window.handle();
    }

    public long address() {
        return window.address();
    }

    long length() {
        return window.length();
    }

    /** Returns a segment, for a chunk list, that names a range of this memory. */
    public Segment part(long at, int length) {
        return new Segment(handle(), length, address() + at);
    }
}
