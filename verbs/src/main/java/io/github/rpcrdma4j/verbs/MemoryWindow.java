package io.github.rpcrdma4j.verbs;

/**
 * A part of a region that the peer of one queue pair can reach by {@link #handle} and {@link
 * #address}: a memory window of type 2. Thread-safe.
 *
 * <p>A peer cannot guess the handle, which ends with the window: the next window on the same memory
 * has another one. The handle is not valid on other queue pairs (RFC 5042, Section 6.2).
 */
public interface MemoryWindow {
    /**
     * Returns the handle, 32 bits: STag in iWARP, R_key in InfiniBand. Any value is legal, 0 too.
     */
    int handle();

    /** Returns the address by which the peer names the first byte; opaque, unsigned. */
    long address();

    /** Returns the length, in bytes. */
    long length();

    /** Returns whether neither side has invalidated the window. */
    boolean isValid();

    /**
     * Ends the window now. When this method returns, the peer can no longer reach the memory, and
     * an attempt ends its connection. Invalidating twice, or after the peer did, is harmless.
     * {@link WorkRequest.Invalidate} has the same effect without blocking this thread.
     *
     * @throws IllegalStateException if the adapter cannot end the window: then only the end of the
     *     connection keeps the peer from the memory
     */
    void invalidate();
}
