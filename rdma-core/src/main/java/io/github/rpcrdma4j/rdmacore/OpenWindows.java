package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.NoResourceException;
import io.github.rpcrdma4j.verbs.Sge;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The windows of a queue pair, by handle. Guarded by the queue pair, except for the size.
 *
 * <p>Tests: {@code AdapterMemory}, {@code SiwContract}.
 */
final class OpenWindows {
    /** The most windows of one queue pair, which limits the cost of a leak. */
    private static final int WINDOWS_MAX = 1 << 20;

    private static final int KEY_MASK = 0xff;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final AdapterQueuePair queuePair;
    private final AdapterDomain domain;
    private final Map<Integer, AdapterWindow> windows = new ConcurrentHashMap<>();

    /** Whether the adapter did not end a window: only the end of the connection then closes it. */
    private boolean hasRefusal;

    OpenWindows(AdapterQueuePair queuePair, AdapterDomain domain) {
        this.queuePair = queuePair;
        this.domain = domain;
    }

    int size() {
        return windows.size();
    }

    boolean hasRefusal() {
        return hasRefusal;
    }

    /**
     * Opens a window. If it {@link AdapterWindow#isBinding}, the caller posts the binding.
     *
     * @param isConnected whether there is a peer that can reach the memory
     */
    AdapterWindow open(
            MemoryRegion of, long offset, long length, Set<Access> allowed, boolean isConnected) {
        var region = domain.require(of);
        Sge.requireWithin(region, offset, length);
        if (allowed.contains(Access.REMOTE_WRITE) && !region.isWritable()) {
            throw new IllegalArgumentException("a peer cannot write to read-only memory");
        }
        if (windows.size() >= WINDOWS_MAX) {
            throw new IllegalStateException("the queue pair has too many windows");
        }
        region.bind();
        AdapterWindow window = null;
        try {
            window = make(region, offset, length, access(allowed), isConnected);
        } finally {
            if (window == null) {
                region.unbind();
            }
        }
        windows.put(window.handle(), window);
        domain.add(window);
        return window;
    }

    private static int access(Set<Access> allowed) {
        int access = 0;
        for (var each : allowed) {
            access |=
                    switch (each) {
                        case REMOTE_READ -> Verbs.ACCESS_REMOTE_READ;
                        case REMOTE_WRITE -> Verbs.ACCESS_REMOTE_WRITE;
                    };
        }
        return access;
    }

    private AdapterWindow make(
            AdapterRegion region, long offset, long length, int access, boolean isConnected) {
        long address = region.address() + offset;
        // An adapter has no window of zero bytes.
        if (!isConnected || length == 0) {
            return new AdapterWindow(
                    queuePair, region, unused(), address, length, access, region.mr(), 0);
        }
        var memory = region.segment().asSlice(offset, length);
        int local = (access & Verbs.ACCESS_REMOTE_WRITE) != 0 ? Verbs.ACCESS_LOCAL_WRITE : 0;
        if (domain.device.hasWindows) {
            return makeBound(region, memory, access, local);
        }
        long mr = domain.registerWithAdapter(memory, access | local);
        int handle = Memory.int32(mr + Layouts.Registration.RKEY);
        return new AdapterWindow(
                queuePair, region, handle, address, length, access, region.mr(), mr);
    }

    private AdapterWindow makeBound(
            AdapterRegion region, MemorySegment memory, int access, int local) {
        // rxe checks the bounds of the registration only (Linux 6.12). So its windows have
        // registrations of their own.
        boolean isOwn = domain.device.isRxe;
        long bound =
                isOwn
                        ? domain.registerWithAdapter(memory, local | Verbs.ACCESS_MW_BIND)
                        : region.mr();
        long mw = Verbs.allocateWindow(domain.device.allocateWindow, domain.pd());
        if (mw == 0) {
            if (isOwn) {
                domain.deregister(bound);
            }
            throw new NoResourceException(
                    domain.device.name + " has no memory window left, or no memory for it");
        }
        int first = Memory.int32(mw + Layouts.Window.RKEY);
        int handle = first & ~KEY_MASK | first + 1 + RANDOM.nextInt(KEY_MASK) & KEY_MASK;
        var window =
                new AdapterWindow(
                        queuePair,
                        region,
                        handle,
                        memory.address(),
                        memory.byteSize(),
                        access,
                        bound,
                        mw);
        window.isBinding = true;
        return window;
    }

    private int unused() {
        int drawn = RANDOM.nextInt();
        while (windows.containsKey(drawn)) {
            drawn = RANDOM.nextInt();
        }
        return drawn;
    }

    /** Ends a window, if it has not ended. */
    void end(AdapterWindow window) {
        if (window.markEnded()) {
            free(window);
            windows.remove(window.handle(), window);
            domain.forget(window);
            window.region.unbind();
        }
    }

    /** Ends the window that the peer invalidated, if there is one. */
    void endedByPeer(int handle) {
        var window = windows.get(handle);
        if (window != null) {
            end(window);
        }
    }

    /**
     * Frees what the adapter has of all windows. The connection has ended; the windows have not.
     */
    void release() {
        windows.values().forEach(this::free);
    }

    private void free(AdapterWindow window) {
        long resource = window.takeResource();
        if (resource == 0) {
            return;
        }
        boolean isFree =
                domain.device.hasWindows
                        ? domain.deallocateWindow(resource)
                        : domain.deregister(resource);
        hasRefusal |= !isFree;
        if (window.ownRegistration() != 0) {
            domain.deregister(window.ownRegistration());
        }
    }
}
