package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The targets of one call. Not thread-safe. */
final class TargetMemory implements AutoCloseable {
    private final SegmentPool pool;
    private final List<SegmentPool.Lease> leases = new ArrayList<>();

    TargetMemory(SegmentPool pool) {
        this.pool = pool;
    }

    /**
     * Leases targets.
     *
     * @param lengths their lengths in bytes
     * @throws io.github.rpcrdma4j.memory.BudgetExhaustedException if there is no memory for them
     */
    List<MemorySegment> lease(List<Long> lengths) {
        var targets = new ArrayList<MemorySegment>();
        for (long length : lengths) {
            var lease = pool.lease(length);
            leases.add(lease);
            targets.add(lease.whole().asSlice(0, length));
        }
        return targets;
    }

    /** Returns the memory to the pool. Closing twice is harmless. */
    @Override
    public void close() {
        leases.forEach(SegmentPool.Lease::close);
        leases.clear();
    }
}
