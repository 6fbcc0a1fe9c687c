package io.github.rpcrdma4j.verbs;

import java.util.Collection;

/**
 * The queue of the completions of one or many queue pairs. Polling it also drives the provider.
 *
 * <p>One thread at a time may poll. Other threads may post work meanwhile, and call {@link
 * #wakeup}. The completions of a send queue are in order, and so are those of a receive queue.
 * After one completion without success, no later completion of that queue succeeds.
 */
public interface CompletionQueue extends AutoCloseable {
    /** A timeout that never ends. */
    long FOREVER = Long.MAX_VALUE;

    /**
     * Makes progress on all queue pairs of this queue, and takes their completions.
     *
     * @param into receives the completions, in order
     * @param timeoutNanos the longest wait for the first completion, in nanoseconds; 0 never waits
     * @return the number of completions added; 0 if the time is up or {@link #wakeup} was called
     * @throws InterruptedException if the thread is interrupted while it waits; no completion is
     *     lost
     * @throws IllegalStateException if another thread is polling, or the queue is closed
     */
    int poll(Collection<? super Completion> into, long timeoutNanos) throws InterruptedException;

    /** Makes the current poll, or the next one, return at once. */
    void wakeup();

    /** Closes the queue. The caller must close all queue pairs that use it before. */
    @Override
    void close();
}
