package io.github.rpcrdma4j.verbs;

import java.util.Collection;

/**
 * Where work completes, for one queue pair or many, and where a provider makes its progress.
 *
 * <p>One thread polls at a time; others may post, and call {@link #wakeup}. Completions of one
 * queue pair come in order within its send queue and within its receive queue, and behind one that
 * did not succeed none of the same queue does.
 */
public interface CompletionQueue extends AutoCloseable {
    /** As a timeout: wait until there is something. */
    long FOREVER = Long.MAX_VALUE;

    /**
     * Makes progress on all queue pairs of this queue and takes the completions.
     *
     * @param into completions are added here, in order
     * @param timeoutNanos how long to wait for the first one, in nanoseconds; 0 never waits
     * @return how many were added; 0 when the time is up or {@link #wakeup} was called
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     * @throws IllegalStateException if another thread is polling, or the queue is closed
     */
    int poll(Collection<? super Completion> into, long timeoutNanos) throws InterruptedException;

    /** Lets the thread that polls, or the next one, return at once. */
    void wakeup();

    /** Closes the queue. All queue pairs that use it must be closed before. */
    @Override
    void close();
}
