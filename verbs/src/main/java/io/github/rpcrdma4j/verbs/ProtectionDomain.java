package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * The scope of memory regions: a queue pair can use only the regions of its own domain.
 * Thread-safe.
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * Registers memory, so that work requests can use it. Bytes can be placed in it unless it is
     * {@linkplain MemorySegment#isReadOnly read-only}.
     *
     * @param memory native memory that any thread may access; it must outlive the registration
     * @throws IllegalArgumentException if the memory is on the heap or confined to a thread
     * @throws IllegalStateException if the domain is closed
     * @throws NoResourceException if there is no room for the registration
     */
    MemoryRegion register(MemorySegment memory);

    /**
     * Returns whether memory can be registered: it is native, and no arena confines it to a thread.
     */
    static boolean canRegister(MemorySegment memory) {
        return memory.isNative() && memory.isAccessibleBy(PollingThread.OTHER);
    }

    /**
     * Checks that memory can be registered.
     *
     * @throws IllegalArgumentException if it is on the heap or confined to a thread
     */
    static void requireRegistrable(MemorySegment memory) {
        if (!canRegister(memory)) {
            throw new IllegalArgumentException(
                    "memory for RDMA must be native and not confined to a thread:"
                            + " use Arena.ofShared(), Arena.ofAuto() or a mapped file");
        }
    }

    /** Returns the number of regions that are registered and not closed. */
    int registeredRegions();

    /**
     * Ends all remaining windows and registrations. When this method returns, no arriving bytes are
     * placed in their memory any more. A later message or RDMA Read response for that memory ends
     * its connection. Closing twice is harmless.
     */
    @Override
    void close();
}
