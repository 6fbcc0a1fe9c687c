package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.Sge;
import io.github.rpcrdma4j.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A protection domain of a device. It exists until it is closed and no queue pair uses it.
 *
 * <p>Tests: {@code AdapterMemory}.
 */
final class AdapterDomain implements ProtectionDomain {
    /** The most cached registrations, of memory that callers may pass again. */
    private static final int CACHED_MAX = 64;

    private static final long CACHED_BYTES_MAX = 64L << 20;

    final Device device;
    private final long pd;
    private final CachedRegistrations cached;
    private final AtomicLong registrations = new AtomicLong();

    /** What the adapter did not end when it was to. Guarded by this. */
    private final Set<Resource> stuck = new HashSet<>();

    private final Set<AdapterRegion> regions = ConcurrentHashMap.newKeySet();
    private final Set<AdapterWindow> windows = ConcurrentHashMap.newKeySet();

    /** The queue pairs of the adapter, and the registrations in progress. Guarded by this. */
    private int users;

    /** Whether all regions have ended, so that only the users use the domain. Guarded by this. */
    private boolean isEmpty;

    /** Whether the domain of the adapter has ended. Guarded by this. */
    private boolean isFreed;

    /** A registration or a window of the adapter. */
    private record Resource(long address, boolean isWindow) {
        int end(Device device) {
            return isWindow
                    ? Verbs.deallocateWindow(device.deallocateWindow, address)
                    : Verbs.deregister(address);
        }
    }

    private volatile boolean closed;

    AdapterDomain(Device device) {
        this.device = device;
        pd = Errors.pointer(Verbs.allocatePd(device.context), device);
        // siw lets peers read all memory that is registered in the domain (Linux 6.12).
        cached =
                new CachedRegistrations(
                        device.isSiw ? 0 : CACHED_MAX, CACHED_BYTES_MAX, this::deregister);
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

    private MemoryRegion register(MemorySegment memory, boolean isCached) {
        ProtectionDomain.requireRegistrable(memory);
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the arena of the memory is closed");
        }
        addUser();
        try {
            var region = new AdapterRegion(this, memory, isCached);
            regions.add(region);
            if (closed) {
                region.end();
                throw new IllegalStateException("the protection domain is closed");
            }
            return region;
        } finally {
            removeUser();
        }
    }

    /**
     * Registers memory with the adapter, which pins its pages. Returns the registration.
     *
     * @throws NoResourceException if the adapter or the system has no room for it
     */
    long registerWithAdapter(MemorySegment memory, int access) {
        registrations.incrementAndGet();
        long mr = Verbs.register(pd, memory.address(), memory.byteSize(), access);
        if (mr == -Errno.ENOMEM && cached.clear()) {
            mr = Verbs.register(pd, memory.address(), memory.byteSize(), access);
        }
        if (mr < 0) {
            throw new NoResourceException(
                    memory.byteSize()
                            + " bytes of memory could not be registered with "
                            + device.name
                            + ": "
                            + Errno.text((int) -mr));
        }
        return mr;
    }

    /** Takes the cached registration of some memory, or registers it. */
    long registerOrTake(MemorySegment memory, int access) {
        long taken = cached.take(memory, access);
        return taken != 0 ? taken : registerWithAdapter(memory, access);
    }

    /** Gives back the registration of some memory, to which no posted work and no window refers. */
    void give(MemorySegment memory, int access, long mr) {
        cached.give(memory, access, mr);
    }

    /**
     * Ends the cached registrations of memory whose arena was closed or collected, and what the
     * adapter did not end before.
     */
    void tidy() {
        cached.tidy();
        synchronized (this) {
            // A registration ends only after the window that is bound to it.
            for (boolean isWindow : new boolean[] {true, false}) {
                stuck.removeIf(
                        each -> each.isWindow == isWindow && Errors.isFreed(each.end(device)));
            }
            freeIfUnused();
        }
    }

    int cachedRegistrations() {
        return cached.size();
    }

    /** Returns how often memory was registered with the adapter so far. */
    long registrations() {
        return registrations.get();
    }

    /**
     * Ends a registration. If the adapter refuses, {@link #tidy} tries again, and the domain exists
     * until then.
     *
     * @return whether it has ended
     */
    boolean deregister(long mr) {
        return end(new Resource(mr, false));
    }

    /** Ends a window of type 2, as {@link #deregister} ends a registration. */
    boolean deallocateWindow(long mw) {
        return end(new Resource(mw, true));
    }

    private boolean end(Resource resource) {
        int error = resource.end(device);
        Errors.logUnlessFreed(error, resource.isWindow ? "a memory window" : "a registration");
        if (Errors.isFreed(error)) {
            return true;
        }
        synchronized (this) {
            stuck.add(resource);
        }
        return false;
    }

    long pd() {
        return pd;
    }

    @Override
    public int registeredRegions() {
        return regions.size();
    }

    void add(AdapterWindow window) {
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

    /**
     * Counts a user more, for which the domain of the adapter exists until {@link #removeUser}.
     *
     * @throws IllegalStateException if the domain is closed
     */
    synchronized void addUser() {
        if (closed) {
            throw new IllegalStateException("the protection domain is closed");
        }
        users++;
    }

    synchronized void removeUser() {
        users--;
        freeIfUnused();
    }

    private void freeIfUnused() {
        if (isEmpty && users == 0 && stuck.isEmpty() && !isFreed) {
            isFreed = true;
            Errors.logUnlessFreed(Verbs.deallocatePd(pd), "a protection domain");
            device.forgetDomain(this);
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
        Steps.runAll(
                cached::close,
                () -> Steps.forEach(windows, AdapterWindow::invalidate),
                () -> Steps.forEach(regions, AdapterRegion::end),
                this::endUse);
    }

    /** Frees the domain of the adapter, unless a user is left, who then frees it. */
    private synchronized void endUse() {
        isEmpty = true;
        freeIfUnused();
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
        throw MemoryRegion.notOfDomain();
    }

    /**
     * Returns a region in which bytes may be placed.
     *
     * @throws IllegalArgumentException if the region is not a valid region of this domain, or
     *     read-only
     */
    AdapterRegion requireWritable(MemoryRegion named) {
        var region = require(named);
        MemoryRegion.requireWritable(region);
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
        Sge.requireCount(gather, gatherMax);
        for (int i = 0; i < gather.size(); i++) {
            require(gather.get(i).region());
        }
    }
}
