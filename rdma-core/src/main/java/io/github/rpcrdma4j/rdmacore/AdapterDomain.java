package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A protection domain of a device. It exists until it is closed and no queue pair uses it. */
final class AdapterDomain implements ProtectionDomain {
    /** The most registrations that are kept for memory which callers may pass again. */
    private static final int KEPT_MAX = 64;

    private static final long KEPT_BYTES_MAX = 64L << 20;
    private static final int NO_MEMORY = 12;

    final Device device;
    private final long pd;
    private final KeptRegistrations kept;
    private final AtomicLong pins = new AtomicLong();
    private final Set<AdapterRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<AdapterWindow> windows = ConcurrentHashMap.newKeySet();

    /** The queue pairs of the adapter in the domain. Guarded by this. */
    private int queuePairs;

    /** Whether all registrations have ended, so that only queue pairs use it. Guarded by this. */
    private boolean isEmpty;

    private volatile boolean closed;

    AdapterDomain(Device device) {
        this.device = device;
        pd = Errors.pointer(Verbs.allocatePd(device.context), device);
        // siw lets peers read all memory that is registered in the domain (Linux 6.12).
        kept = new KeptRegistrations(device.isSiw ? 0 : KEPT_MAX, KEPT_BYTES_MAX, this::unpin);
        device.watchDomain(this);
    }

    @Override
    public MemoryRegion register(MemorySegment memory) {
        return register(memory, true);
    }

    /** Registers memory that no caller passes again. */
    MemoryRegion registerOnce(MemorySegment memory) {
        return register(memory, false);
    }

    private MemoryRegion register(MemorySegment memory, boolean isKept) {
        if (!ProtectionDomain.canRegister(memory)) {
            throw new IllegalArgumentException(
                    "only native memory that any thread may access can be registered");
        }
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory is closed");
        }
        var region = new AdapterRegion(this, memory, isKept);
        regions.add(region);
        if (closed) {
            region.end();
            throw new IllegalStateException("the protection domain is closed");
        }
        return region;
    }

    /**
     * Pins memory and returns its registration.
     *
     * @throws NoResourceException if the adapter or the system has no room for it
     */
    long pin(MemorySegment memory, int access) {
        pins.incrementAndGet();
        long mr = Verbs.register(pd, memory.address(), memory.byteSize(), access);
        if (mr == -NO_MEMORY && kept.clear()) {
            mr = Verbs.register(pd, memory.address(), memory.byteSize(), access);
        }
        if (mr < 0) {
            throw new NoResourceException(
                    memory.byteSize()
                            + " bytes of memory could not be registered with "
                            + device.name
                            + ": "
                            + Errors.text((int) -mr));
        }
        return mr;
    }

    /** Takes the kept registration of some memory, or pins it. */
    long pinOrTake(MemorySegment memory, int access) {
        long taken = kept.take(memory, access);
        return taken != 0 ? taken : pin(memory, access);
    }

    /** Keeps the registration of some memory, to which no posted work and no window refers. */
    void give(MemorySegment memory, int access, long mr) {
        kept.give(memory, access, mr);
    }

    /** Ends the kept registrations of memory whose arena was closed or collected. */
    void tidy() {
        kept.tidy();
    }

    /** Returns how many registrations are kept for memory that no region has now. */
    int keptRegistrations() {
        return kept.size();
    }

    /** Returns how often memory was registered with the adapter so far. */
    long pins() {
        return pins.get();
    }

    void unpin(long mr) {
        Errors.requireFreed(Verbs.deregister(mr), "a registration");
    }

    long pd() {
        return pd;
    }

    @Override
    public int registeredRegions() {
        return regions.size();
    }

    void keep(AdapterWindow window) {
        windows.add(window);
        if (closed) {
            window.invalidate();
            throw new IllegalStateException("the protection domain is closed");
        }
    }

    void forget(AdapterWindow window) {
        windows.remove(window);
    }

    void forget(AdapterRegion region) {
        regions.remove(region);
    }

    synchronized void addQueuePair() {
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        queuePairs++;
    }

    synchronized void removeQueuePair() {
        queuePairs--;
        freeIfUnused();
    }

    private void freeIfUnused() {
        if (isEmpty && queuePairs == 0) {
            Verbs.deallocatePd(pd);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        device.forgetDomain(this);
        kept.close();
        windows.forEach(AdapterWindow::invalidate);
        regions.forEach(AdapterRegion::end);
        // A queue pair may end on another thread: the last of them frees the domain, once.
        synchronized (this) {
            isEmpty = true;
            freeIfUnused();
        }
    }

    /**
     * Returns a region that work may use.
     *
     * @throws IllegalArgumentException if the region is not a valid region of this domain
     */
    AdapterRegion require(MemoryRegion named) {
        if (named instanceof AdapterRegion region && region.belongsTo(this) && region.isValid()) {
            return region;
        }
        throw new IllegalArgumentException(
                "work uses memory that is not registered in the domain of its queue pair");
    }

    /**
     * Returns a region in which bytes may be placed.
     *
     * @throws IllegalArgumentException if the region is not a valid region of this domain, or
     *     read-only
     */
    AdapterRegion requireWritable(MemoryRegion named) {
        var region = require(named);
        if (!region.isWritable()) {
            throw new IllegalArgumentException("no bytes can be placed in read-only memory");
        }
        return region;
    }

    /**
     * Checks that a work request uses only memory that it may use.
     *
     * @throws IllegalArgumentException if it does not
     */
    void requireValid(WorkRequest request, QueuePair queuePair, int gatherMax) {
        switch (request) {
            case WorkRequest.Send send -> requireGather(send.gather(), gatherMax);
            case WorkRequest.Write write -> requireGather(write.gather(), gatherMax);
            // RFC 5040-5.2.1-3.
            case WorkRequest.Read read -> requireWritable(read.sink().region());
            case WorkRequest.Invalidate invalidate -> {
                if (!(invalidate.window() instanceof AdapterWindow window)
                        || window.queuePair != queuePair) {
                    throw new IllegalArgumentException("the window belongs to another queue pair");
                }
            }
        }
    }

    private void requireGather(List<Sge> gather, int gatherMax) {
        if (gather.size() > gatherMax) {
            throw new IllegalArgumentException(
                    gather.size()
                            + " elements to gather exceed the limit of the queue pair: "
                            + gatherMax);
        }
        for (int i = 0; i < gather.size(); i++) {
            require(gather.get(i).region());
        }
    }
}
