package io.github.rpcrdma4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. The peer names it by {@link #handle} and {@link #address}. Thread-safe.
 *
 * <p>The handle is unguessable and dies with the registration: registering the same memory again
 * gives another one.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The 32-bit name: STag, R_key. Any value is legal, 0 too. */
    int handle();

    /** What the peer calls the first octet; opaque, unsigned. */
    long address();

    /** Octets. */
    long length();

    /** The memory itself. */
    MemorySegment segment();

    /** False once it was invalidated by either side. */
    boolean isValid();

    /**
     * Ends the registration: when this returns, nothing of the peer's reaches the memory any more,
     * and an attempt ends its connection. Invalidating twice, or after the peer did, is harmless.
     *
     * @throws IllegalStateException if that cannot be had from the adapter: then the end of the
     *     connection is all that keeps the peer out
     */
    void invalidate();

    /** The same as {@link #invalidate}. */
    @Override
    default void close() {
        invalidate();
    }
}
