package io.github.rpcrdma4j.nfs.server.state;

/**
 * What keeps one that waits from a lock: a lock of another owner, a question to the kernel about
 * one, or a turn of another one that waits.
 *
 * @param <O> the owners
 */
sealed interface Obstacle<O> permits RangeNode, Ask, Waiter {
    /** Returns whether it forbids a lock now. */
    boolean isInTheWayOf(RangeLock<O> wanted);
}
