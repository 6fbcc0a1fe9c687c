package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A scope for memory regions: a queue pair uses the regions of its own domain and no others.
 * Thread-safe.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * Registers memory, so that work requests can name it. Bytes can be placed there if it is not
     * {@linkplain MemorySegment#isReadOnly read-only}.
     *
     * @param memory native memory that any thread may touch; it must outlive the registration
     * @throws IllegalArgumentException if the memory is on the heap or confined to a thread
     * @throws IllegalStateException if the domain is closed or holds its maximum of regions
     */
    MemoryRegion register(MemorySegment memory);

    /**
     * Whether memory is fit for RDMA: it is native, and no arena confines it to a thread. Only such
     * memory can be registered.
     */
    static boolean canRegister(MemorySegment memory) {
        return memory.isNative() && memory.isAccessibleBy(PollingThread.OTHER);
    }

    /** How many regions are registered and not closed. */
    int registeredRegions();

    /**
     * Ends the windows and the registrations of every region that is left. When this returns
     * nothing that arrives is placed into their memory any more. An RDMA Read or a message that is
     * still to be placed there ends its connection. Closing twice is harmless.
     */
    @Override
    void close();
}
