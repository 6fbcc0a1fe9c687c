package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.CompletionQueue;

/**
 * Makes the callers at a server wait: the thread sleeps until a polling thread has handled its
 * answer.
 */
record Parked(ConnectionLock lock, CompletionQueue completionQueue)
        implements RequesterDriver.Waiter {
    @Override
    public void await(long nanos) throws InterruptedException {
        lock.park(nanos);
    }

    @Override
    public void leave() {}

    @Override
    public void processQuiet() {
        completionQueue.wakeup();
        lock.pause();
    }
}
