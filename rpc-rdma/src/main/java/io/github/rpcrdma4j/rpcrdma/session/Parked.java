package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.CompletionQueue;

/**
 * The waiting of a caller at a server: the thread sleeps until a polling thread has handled its
 * answer.
 */
record Parked(ConnectionLock lock, CompletionQueue completionQueue)
        implements RequesterDriver.Waiting {
    @Override
    public void await(long nanos) throws InterruptedException {
        lock.park(nanos);
    }

    @Override
    public void leave() {}

    @Override
    public void stir() {
        completionQueue.wakeup();
        lock.pause();
    }
}
