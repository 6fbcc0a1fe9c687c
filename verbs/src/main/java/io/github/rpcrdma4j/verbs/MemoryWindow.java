package io.github.rpcrdma4j.verbs;

/**
 * A part of a region that the peer of one queue pair can reach, which names it by {@link #handle}
 * and {@link #address}: a memory window of type 2. Thread-safe.
 *
 * <p>The handle is unguessable and dies with the window: the next window on the same memory has
 * another one. No other queue pair knows it (RFC 5042, Section 6.2).
 */
public interface MemoryWindow {
    /** The 32-bit name: STag, R_key. Any value is legal, 0 too. */
    int handle();

    /** What the peer calls the first byte; opaque, unsigned. */
    long address();

    /** In bytes. */
    long length();

    /** False once it was invalidated by either side. */
    boolean isValid();

    /**
     * Ends the window now: when this returns, nothing of the peer's reaches the memory any more,
     * and an attempt ends its connection. Invalidating twice, or after the peer did, is harmless.
     * {@link WorkRequest.Invalidate} does the same without holding this thread up.
     *
     * @throws IllegalStateException if that cannot be had from the adapter: then the end of the
     *     connection is all that keeps the peer out
     */
    void invalidate();
}
