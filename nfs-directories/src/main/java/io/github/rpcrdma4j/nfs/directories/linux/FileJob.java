package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An operation that waits for a thread of its store, and its end.
 *
 * @param <R> its result
 */
final class FileJob<R> {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

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

    /** Jobs with equal ones run a few at a time; null if it is the only one. */
    final Object turn;

    private final FileThreads.Operation<R> operation;

    /** The thread that waits for the end of the job; null if none does. */
    final Thread waiter;

    private final Runnable atEnd;

    private R result;
    StoreException refusal;
    Throwable broken;
    private volatile boolean done;

    FileJob(Where where, FileThreads.Operation<R> operation, Thread waiter) {
        this(where, where.file(), operation, waiter, () -> {});
    }

    /**
     * @param atEnd runs when the job has ended, also if it did not run
     */
    FileJob(
            Where where,
            Object turn,
            FileThreads.Operation<R> operation,
            Thread waiter,
            Runnable atEnd) {
        this.where = where;
        this.turn = turn;
        this.operation = operation;
        this.waiter = waiter;
        this.atEnd = atEnd;
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

    /** Notes that the job has ended. Its thread may go on. */
    void end() {
        atEnd.run();
        done = true;
    }

    /**
     * Waits for the end despite interrupts, because the job uses memory of this thread's caller.
     *
     * @throws StoreException of the operation
     */
    R await() throws StoreException {
        await(Long.MAX_VALUE);
        return outcome();
    }

    /**
     * Waits for the end for some time. The job must use no memory of this thread's caller.
     *
     * @throws StoreException of the operation; AGAIN if it has not ended
     */
    R awaitBriefly(long nanos) throws StoreException {
        if (!await(nanos)) {
            throw new StoreException(Failure.AGAIN, "an operation does not come back");
        }
        return outcome();
    }

    private boolean await(long nanos) {
        boolean interrupted = false;
        long start = System.nanoTime();
        long left = nanos;
        while (!done && left > 0) {
            // A thread that runs out of memory may fail to unpark this one, so the wait has a
            // timeout.
            LockSupport.parkNanos(this, Math.min(left, WAIT_NANOS));
            interrupted |= Thread.interrupted();
            left = nanos - (System.nanoTime() - start);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return done;
    }

    private R outcome() throws StoreException {
        if (refusal != null) {
            throw refusal;
        }
        switch (broken) {
            case null -> {}
            case RuntimeException error -> throw error;
            case Error error -> throw error;
            case Throwable other -> throw new AssertionError(other);
        }
        return result;
    }
}
