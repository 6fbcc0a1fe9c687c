package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.MemoryWindow;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.Signal;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The registered memory of this side, for work requests and memory windows of one connection. A
 * slab of the pool is registered once per protection domain, at its first use, until the pool frees
 * it. Thread-safe.
 */
public final class ConnectionMemory {
    private static final Set<Access> READ = EnumSet.of(Access.REMOTE_READ);
    private static final Set<Access> WRITE = EnumSet.of(Access.REMOTE_WRITE);

    private final QueuePair queuePair;
    private final ProtectionDomain domain;
    private final SegmentPool pool;

    private record Registration(ProtectionDomain owner, MemoryRegion region)
            implements SegmentPool.Attachment {
        @Override
        public boolean isObsolete() {
            return !region.isValid();
        }

        @Override
        public void close() {
            region.close();
        }
    }

    /**
     * @param domain the protection domain of the queue pair
     * @param pool the pool of leases, whose slabs are registered; several connections may share
     *     pool and domain
     */
    public ConnectionMemory(QueuePair queuePair, ProtectionDomain domain, SegmentPool pool) {
        this.queuePair = queuePair;
        this.domain = domain;
        this.pool = pool;
    }

    /** Returns the pool of all leases. */
    public SegmentPool pool() {
        return pool;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    private MemoryRegion region(SegmentPool.Slab slab) {
        var known = slab.attachment(domain);
        var registration =
                known == null
                        ? slab.attach(
                                domain,
                                of -> new Registration(domain, domain.register(of.segment())))
                        : known;
        return ((Registration) registration).region;
    }

    /** Posts a receive into all bytes of a lease. */
    void postReceive(SegmentPool.Lease buffer) {
        queuePair.postReceive(0, region(buffer.slab()), 0, buffer.length());
    }

    /**
     * Returns a gather element for a range of a lease. The offset counts from its start, in bytes.
     */
    public Sge element(SegmentPool.Lease lease, long offset, long length) {
        return new Sge(region(lease.slab()), offset, length);
    }

    private Sge element(SegmentPool.Slab slab, MemorySegment memory) {
        return new Sge(
                region(slab), memory.address() - slab.segment().address(), memory.byteSize());
    }

    /**
     * Returns a gather element for memory, which is registered first if it is not of the pool.
     *
     * @param memory memory that can be registered
     * @param registered receives the new region, if any; the caller closes it after use
     */
    Sge element(MemorySegment memory, Collection<? super MemoryRegion> registered) {
        var slab = pool.slab(memory);
        if (slab != null) {
            return element(slab, memory);
        }
        var region = domain.register(memory);
        registered.add(region);
        return Sge.of(region);
    }

    /**
     * Returns a Send of memory of the pool. Its completion wakes no thread.
     *
     * @param whole a slab of the pool
     * @param from the offset of the first byte
     * @param length the length in bytes
     */
    public WorkRequest send(MemorySegment whole, long from, long length) {
        return quiet(List.of(new Sge(region(pool.slab(whole)), from, length)));
    }

    /**
     * Returns a Send that gathers several segments of memory of the pool. Its completion wakes no
     * thread.
     */
    public WorkRequest send(List<MemorySegment> pieces) {
        return quiet(pieces.stream().map(piece -> element(pool.slab(piece), piece)).toList());
    }

    private static WorkRequest quiet(List<Sge> elements) {
        return new WorkRequest.Send(0, elements, OptionalInt.empty(), Signal.QUIET);
    }

    /** Opens a window of registered memory to the peer, either for reading or for writing. */
    MemoryWindow open(Sge memory, long offset, long length, Access access) {
        return queuePair.bind(
                memory.region(),
                memory.offset() + offset,
                length,
                access == Access.REMOTE_READ ? READ : WRITE);
    }
}
