package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * The regions of one call: registered as late as possible, invalidated as soon as its answer is
 * there (RFC 8166-8.1.3-1): nothing lies open beyond that (RFC 8166-8.1-1, 5666-11-2). Not
 * thread-safe.
 */
final class ExposedMemory {
    /** For calls that expose nothing. */
    static final ExposedMemory NONE = new ExposedMemory(null, 0);

    private final ProtectionDomain domain;
    private final long segmentMax;
    private final List<MemoryRegion> regions = new ArrayList<>(0);

    /**
     * @param segmentMax the longest segment to offer, in octets
     */
    ExposedMemory(ProtectionDomain domain, long segmentMax) {
        this.domain = domain;
        this.segmentMax = segmentMax;
    }

    /**
     * Lets the responder reach {@code memory}; the segments cover it in order (RFC 8166-3.4.4-1).
     * Their handles are of this call alone (XCH-3.2-5).
     */
    List<Segment> expose(MemorySegment memory, Access access) {
        long length = memory.byteSize();
        if (length <= segmentMax) {
            return List.of(register(memory, access));
        }
        var segments = new ArrayList<Segment>();
        for (long from = 0; from < length; from += segmentMax) {
            long count = Math.min(segmentMax, length - from);
            segments.add(register(memory.asSlice(from, count), access));
        }
        return segments;
    }

    private Segment register(MemorySegment memory, Access access) {
        var region = domain.register(memory, EnumSet.of(access));
        regions.add(region);
        return new Segment(region.handle(), (int) region.length(), region.address());
    }

    /** Whether the handle is one of this call's. */
    boolean holds(int handle) {
        for (var region : regions) {
            if (region.handle() == handle) {
                return true;
            }
        }
        return false;
    }

    /** When this returns the responder cannot reach the memory any more (XCH-3.2-4, V2-6-1). */
    void fence() {
        for (int i = 0; i < regions.size(); i++) {
            regions.get(i).invalidate();
        }
    }
}
