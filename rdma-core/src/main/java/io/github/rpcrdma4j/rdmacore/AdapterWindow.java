package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Layouts.Send;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.verbs.MemoryWindow;

/**
 * Memory that is open to a peer: a memory window of type 2, or a registration of its own at
 * adapters without such windows. Thread-safe.
 *
 * <p>A registration is open to the peers of all queue pairs of its domain, which is less protection
 * than a window gives. docs/adapters.md names the adapters.
 */
final class AdapterWindow implements MemoryWindow {
    final AdapterQueuePair queuePair;
    final AdapterRegion region;
    final long length;
    private final int handle;
    private final long address;
    private final int access;
    private volatile boolean isValid = true;

    /** Whether the binding of a window of type 2 has not completed. Guarded by the queue pair. */
    boolean isBinding;

    /** Whether the adapter has the binding of a window of type 2. Guarded by the queue pair. */
    boolean isHandedOver;

    /** The registration that the window of type 2 is bound to. */
    private final long bound;

    /** The window or the registration of the adapter; 0 if it has ended. Guarded by this. */
    private long resource;

    AdapterWindow(
            AdapterQueuePair queuePair,
            AdapterRegion region,
            int handle,
            long address,
            long length,
            int access,
            long bound,
            long resource) {
        this.queuePair = queuePair;
        this.region = region;
        this.handle = handle;
        this.address = address;
        this.length = length;
        this.access = access;
        this.bound = bound;
        this.resource = resource;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isValid() {
        return isValid;
    }

    @Override
    public void invalidate() {
        queuePair.end(this);
    }

    /** Writes the binding of the window into a {@code struct ibv_send_wr}. */
    synchronized void writeBinding(long at) {
        Memory.int64(at + Send.BIND_MW__MW, resource);
        Memory.int32(at + Send.BIND_MW__RKEY, handle);
        Memory.int64(at + Send.BIND_MW__BIND_INFO__MR, bound);
        Memory.int64(at + Send.BIND_MW__BIND_INFO__ADDR, address);
        Memory.int64(at + Send.BIND_MW__BIND_INFO__LENGTH, length);
        Memory.int32(at + Send.BIND_MW__BIND_INFO__MW_ACCESS_FLAGS, access);
    }

    /** Returns the registration of the window alone, which ends with it; 0 if it has none. */
    long ownRegistration() {
        return bound == region.mr() ? 0 : bound;
    }

    /** Takes the adapter's resource, which the caller frees; 0 if it was taken before. */
    synchronized long takeResource() {
        long taken = resource;
        resource = 0;
        return taken;
    }

    /** Marks the window as ended. Returns whether it was valid. */
    synchronized boolean markEnded() {
        boolean was = isValid;
        isValid = false;
        return was;
    }
}
