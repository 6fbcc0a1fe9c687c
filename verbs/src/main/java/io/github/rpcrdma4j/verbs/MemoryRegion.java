package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory: what work requests of this side may read from and place into. A peer reaches
 * it through a {@link MemoryWindow} alone. Thread-safe.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The memory itself. */
    MemorySegment segment();

    /** In bytes. */
    long length();

    /** Whether RDMA Reads and receives may place bytes there: the memory is not read-only. */
    boolean isWritable();

    /** False once it was closed. */
    boolean isValid();

    /**
     * Ends the registration. When this returns nothing that arrives is placed there any more. An
     * RDMA Read or a message that is still to be placed there ends its connection. Closing twice is
     * harmless.
     *
     * @throws IllegalStateException if a window on it is still valid
     */
    @Override
    void close();
}
