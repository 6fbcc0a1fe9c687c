package io.github.rpcrdma4j.verbs.software;

import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.Sge;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/** The protection domain of a provider that copies the bytes in software. */
public final class SoftwareDomain implements ProtectionDomain {
    /** The most regions of one domain, which limits the cost of a leak. */
    public static final int REGIONS_MAX = 1 << 20;

    private final RandomGenerator random;

    /** The valid regions. */
    private final Set<SoftwareRegion> regions = ConcurrentHashMap.newKeySet();

    /** The windows of all queue pairs but those that are closed and have no valid windows. */
    private final Set<SoftwareWindows> windows = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /**
     * Creates a domain.
     *
     * @param random the source of handles and addresses; must be secure if a peer can be hostile
     */
    public SoftwareDomain(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Returns a domain as its implementation.
     *
     * @throws IllegalArgumentException if the domain belongs to another provider
     */
    public static SoftwareDomain of(ProtectionDomain domain) {
        if (domain instanceof SoftwareDomain own) {
            return own;
        }
        throw new IllegalArgumentException("the protection domain belongs to another provider");
    }

    /** Creates the table of windows of a queue pair, which closes it with itself. */
    public SoftwareWindows windows() {
        var made = new SoftwareWindows(this, random);
        keep(made);
        return made;
    }

    void keep(SoftwareWindows table) {
        windows.add(table);
    }

    @Override
    public SoftwareRegion register(MemorySegment memory) {
        ProtectionDomain.requireRegistrable(memory);
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        if (regions.size() >= REGIONS_MAX) {
            throw new IllegalStateException("the protection domain is full");
        }
        var region = new SoftwareRegion(this, memory);
        regions.add(region);
        if (closed) {
            // The domain may have been closed before this region was in the set.
            region.end();
            throw new IllegalStateException("the protection domain is closed");
        }
        return region;
    }

    @Override
    public int registeredRegions() {
        return regions.size();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        windows.forEach(SoftwareWindows::invalidateAll);
        regions.forEach(SoftwareRegion::end);
    }

    void forget(SoftwareRegion ended) {
        regions.remove(ended);
    }

    void forget(SoftwareWindows ended) {
        windows.remove(ended);
    }

    /**
     * Returns a region that work may use.
     *
     * @throws IllegalArgumentException if the region is not a valid region of this domain
     */
    public SoftwareRegion require(MemoryRegion named) {
        if (named instanceof SoftwareRegion region && region.belongsTo(this) && region.isValid()) {
            return region;
        }
        throw MemoryRegion.notOfDomain();
    }

    /**
     * Returns a region in which bytes may be placed.
     *
     * @throws IllegalArgumentException if the region is not a valid region of this domain, or
     *     read-only
     */
    public SoftwareRegion requireWritable(MemoryRegion named) {
        var region = require(named);
        MemoryRegion.requireWritable(region);
        return region;
    }

    void requireGather(List<Sge> gather, int gatherMax) {
        Sge.requireCount(gather, gatherMax);
        for (int i = 0; i < gather.size(); i++) {
            require(gather.get(i).region());
        }
    }
}
