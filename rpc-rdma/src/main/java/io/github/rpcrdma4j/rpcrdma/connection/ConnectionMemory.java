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
 * The memory of this side as one connection names it in work requests, and opens it to its peer.
 * Slabs of the pool are registered once for a domain, when they are first wanted, until the pool
 * lets them go. Thread-safe.
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
        public boolean isOver() {
            return !region.isValid();
        }

        @Override
        public void close() {
            region.close();
        }
    }

    /**
     * @param domain of the queue pair
     * @param pool whose slabs are registered; its connections may have the domain in common
     */
    public ConnectionMemory(QueuePair queuePair, ProtectionDomain domain, SegmentPool pool) {
        this.queuePair = queuePair;
        this.domain = domain;
        this.pool = pool;
    }

    /** Where leases come from. */
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

    /** Posts a receive with all bytes of a lease. */
    void postReceive(SegmentPool.Lease buffer) {
        queuePair.postReceive(0, region(buffer.slab()), 0, buffer.length());
    }

    /** A lease as work requests name it, from its start on. */
    public Sge element(SegmentPool.Lease lease, long offset, long length) {
        return new Sge(region(lease.slab()), offset, length);
    }

    private Sge element(SegmentPool.Slab slab, MemorySegment memory) {
        return new Sge(
                region(slab), memory.address() - slab.segment().address(), memory.byteSize());
    }

    /**
     * Memory as work requests name it, registered for them if it is not of the pool.
     *
     * @param memory that can be registered
     * @param registered gets the region that was made for it, to be closed when it is not needed
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
     * A Send of what lies in memory of the pool, which wakes no thread when it is done.
     *
     * @param whole a slab of the pool
     * @param from where it starts, in bytes
     * @param length in bytes
     */
    public WorkRequest send(MemorySegment whole, long from, long length) {
        return quiet(List.of(new Sge(region(pool.slab(whole)), from, length)));
    }

    /** A Send that gathers pieces of memory of the pool, and wakes no thread when it is done. */
    public WorkRequest send(List<MemorySegment> pieces) {
        return quiet(pieces.stream().map(piece -> element(pool.slab(piece), piece)).toList());
    }

    private static WorkRequest quiet(List<Sge> elements) {
        return new WorkRequest.Send(0, elements, OptionalInt.empty(), Signal.QUIET);
    }

    /** Opens registered memory to the peer, for reading or for writing alone. */
    MemoryWindow open(Sge memory, long offset, long length, Access access) {
        return queuePair.bind(
                memory.region(),
                memory.offset() + offset,
                length,
                access == Access.REMOTE_READ ? READ : WRITE);
    }
}
