package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory, which work requests of this side may read from and place bytes into. A peer
 * reaches it only through a {@link MemoryWindow}. Thread-safe.
 */
public interface MemoryRegion extends AutoCloseable {
    /** Returns the memory itself. */
    MemorySegment segment();

    /** Returns the length, in bytes. */
    long length();

    /**
     * Returns whether RDMA Reads and receives may place bytes in the memory: it is not read-only.
     */
    boolean isWritable();

    /**
     * Checks that bytes can be placed in a region.
     *
     * @throws IllegalArgumentException if it is read-only
     */
    static void requireWritable(MemoryRegion region) {
        if (!region.isWritable()) {
            throw new IllegalArgumentException("no bytes can be placed in read-only memory");
        }
    }

    /** Returns the error of work that uses a region that is not valid, or of another domain. */
    static IllegalArgumentException notOfDomain() {
        return new IllegalArgumentException(
                "work uses memory that is not registered in the domain of its queue pair");
    }

    /** Returns whether the region has not been closed. */
    boolean isValid();

    /**
     * Ends the registration. When this method returns, no arriving bytes are placed in the memory
     * any more. A later message or RDMA Read response for the memory ends its connection. Closing
     * twice is harmless.
     *
     * @throws IllegalStateException if a window on the region is still valid
     */
    @Override
    void close();
}
