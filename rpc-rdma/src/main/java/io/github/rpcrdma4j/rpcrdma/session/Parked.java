package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.CompletionQueue;

/** A poller takes the answer; the caller only sleeps until it is there. */
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
