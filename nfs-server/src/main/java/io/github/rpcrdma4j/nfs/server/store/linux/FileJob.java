package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.util.List;

/**
 * An operation that waits for a thread of its store, and its end.
 *
 * @param <R> its result
 */
final class FileJob<R> {
    /**
     * Where an operation is.
     *
     * @param file where it may have to wait, and where it counts if it hangs; null if it is at no
     *     file
     * @param others further files where it may have to wait
     * @param mayBeRefused whether it may fail because too many others hang there
     */
    record Where(FileId file, List<FileId> others, boolean mayBeRefused) {
        static final Where NOWHERE = new Where(null, List.of(), false);

        /** Returns the place of an operation at one file, which may be refused. */
        static Where at(FileId file) {
            return new Where(file, List.of(), true);
        }
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
