package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * A scope for memory regions: a connection reaches the regions of its own domain and no others (RFC
 * 5042). Thread-safe.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * Lets peers of this domain's queue pairs reach {@code memory}.
     *
     * @param memory native memory that any thread may touch; it must outlive the registration
     * @param access what is allowed; the least that serves
     * @throws IllegalArgumentException if the memory is on the heap or confined to a thread
     * @throws IllegalStateException if the domain is closed or holds its maximum of regions
     */
    MemoryRegion register(MemorySegment memory, Set<Access> access);

    /**
     * Whether memory is fit for RDMA: it is native, and no arena confines it to a thread. Only such
     * memory can be registered or named in work requests.
     */
    static boolean canRegister(MemorySegment memory) {
        return memory.isNative() && memory.isAccessibleBy(AnyThread.OTHER);
    }

    /** How many regions are registered and not invalidated. */
    int registeredRegions();

    /** Invalidates every region that is left. Closing twice is harmless. */
    @Override
    void close();
}
