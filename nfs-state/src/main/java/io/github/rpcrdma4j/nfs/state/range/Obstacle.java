package io.github.rpcrdma4j.nfs.state.range;

/**
 * Why a client that waits for a lock does not get it: a lock of another owner, a question to the
 * kernel about one, or a turn of another one that waits.
 *
 * @param <O> the owners
 */
public interface Obstacle<O> {
    /** Returns whether it forbids a lock now. */
    boolean isInTheWayOf(RangeLock<O> wanted);
}
