package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies of memory of one call that cannot be registered: only its thread may touch it, or it lies
 * on the heap. Used by the thread that makes the call.
 */
public final class StandIns {
    private final SegmentPool pool;
    private final List<SegmentPool.Lease> leases = new ArrayList<>(0);

    public StandIns(SegmentPool pool) {
        this.pool = pool;
    }

    /** The memory of all copies; the call gives it back. */
    public List<SegmentPool.Lease> leases() {
        return leases;
    }

    /** The data, or a copy of it. */
    public MemorySegment readable(MemorySegment data) {
        if (ProtectionDomain.canRegister(data)) {
            return data;
        }
        var copy = standIn(data);
        copy.copyFrom(data);
        return copy;
    }

    /** The targets, each in memory that may be written to. */
    public List<MemorySegment> writable(List<MemorySegment> targets) {
        boolean all = true;
        for (int i = 0; i < targets.size(); i++) {
            all &= ProtectionDomain.canRegister(targets.get(i));
        }
        if (all) {
            return targets;
        }
        return targets.stream()
                .map(each -> ProtectionDomain.canRegister(each) ? each : standIn(each))
                .toList();
    }

    private MemorySegment standIn(MemorySegment original) {
        var lease = pool.lease(original.byteSize());
        leases.add(lease);
        return lease.segment();
    }
}
