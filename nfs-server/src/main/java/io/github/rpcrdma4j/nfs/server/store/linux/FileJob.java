package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.StoreException;

/**
 * An operation that waits for a thread of its store, and its end.
 *
 * @param <R> its result
 */
final class FileJob<R> {
    /**
     * Where an operation is.
     *
     * @param file where it may have to wait; null if it is at no file
     * @param other another one; null if there is none
     * @param mayBeRefused whether it may fail because too many others hang there
     */
    record Where(FileId file, FileId other, boolean mayBeRefused) {
        static final Where NOWHERE = new Where(null, null, false);
    }

    final Where where;
    private final FileThreads.Operation<R> operation;

    /** The thread that waits for the end of the job; null if none does. */
    final Thread waiter;

    R result;
    StoreException refusal;
    Throwable broken;
    volatile boolean done;

    FileJob(Where where, FileThreads.Operation<R> operation, Thread waiter) {
        this.where = where;
        this.operation = operation;
        this.waiter = waiter;
    }

    void run(FileThreads.Call call) {
        try {
            result = operation.run(call);
        } catch (StoreException refused) {
            refusal = refused;
        } catch (Throwable failure) {
            broken = failure;
        }
    }
}
