package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Credentials;
import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Runs the operations of one store on threads that may wait for storage and assume the identity of
 * a caller. A hanging file system blocks only the threads of its own store, and few of them ({@link
 * HangingFiles}). Thread-safe.
 *
 * <p>A platform thread runs its operations itself. A virtual thread first tries an operation
 * without waiting, and then passes it to a thread of the store. It must not wait, as this would
 * block its carrier, and a carrier must never have the identity of a caller.
 *
 * <p>All new files are made on threads of the store. If possible, each of these has its own umask
 * of 0, so that the kernel makes files with the requested mode. They have no capabilities but those
 * that files need. When such a thread unparks a virtual thread, the JVM may start a carrier, which
 * would inherit all of this. So {@link Waker} unparks virtual threads for them.
 */
final class FileThreads {
    /** The most threads whose operations do not hang. */
    static final int THREADS_MAX = 64;

    /** The most threads besides, while the operations of others hang. */
    static final int THREADS_BESIDES_MAX = 64;

    private static final long IDLE_SECONDS = 30;
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** An operation on files. It may run twice: first without and then with permission to wait. */
    interface Operation<R> {
        R run(Call call) throws StoreException;
    }

    /**
     * A sequence of system calls with the identity of a caller. It must do nothing else: see {@link
     * Identity}.
     */
    interface Section {
        int run(Scratch scratch);
    }

    /**
     * The resources of an operation: memory for system calls, and the permissions of its thread. A
     * restricted thread has no capabilities but those that files need.
     */
    final class Call {
        final Scratch scratch;
        private final FileId at;
        private final boolean waits;
        private final boolean restricted;

        private Call(Scratch scratch, FileId at, boolean waits, boolean restricted) {
            this.scratch = scratch;
            this.at = at;
            this.waits = waits;
            this.restricted = restricted;
        }

        /** Ends the operation unless it may wait; it then runs again on a thread that may. */
        void mustWait() {
            if (!waits) {
                throw WouldBlock.NOW;
            }
        }

        boolean mayWait() {
            return waits;
        }

        /** Returns whether a file is where the operation may have to wait. */
        boolean isAt(FileId file) {
            return file.equals(at);
        }

        /**
         * Returns whether a file belongs to the caller or, if this process cannot act for others,
         * to this process's user. The scratch must hold the attributes of the file.
         */
        boolean owns(Caller caller) {
            return switch (caller) {
                case Caller.Server _ -> true;
                case Caller.User user ->
                        Statx.uid(scratch) == (identity.mayAct() ? user.uid() : identity.uid());
            };
        }

        /** Returns whether the caller is root or, likewise, this process's user is. */
        boolean isRoot(Caller caller) {
            return identity.mayAct() ? caller.isRoot() : identity.uid() == 0;
        }

        /**
         * Makes system calls with the rights of a caller. If this process cannot act for others, it
         * uses its own rights.
         *
         * @return the result of the section
         */
        int as(Caller caller, Section section) throws StoreException {
            mustWait();
            if (!(caller instanceof Caller.User user) || !identity.mayAct()) {
                return section.run(scratch);
            }
            if (!restricted && identity.keepCapabilities(scratch) < 0) {
                return -Errno.PERM;
            }
            try {
                return identity.assume(scratch, user, restricted)
                        ? section.run(scratch)
                        : -Errno.PERM;
            } finally {
                identity.restore(scratch, restricted);
            }
        }
    }

    private final String name;
    private final Identity identity;

    /**
     * Read here, because the first access starts the waker's thread, which must have ordinary
     * credentials.
     */
    private final Waker waker = Waker.SHARED;

    private final FileQueues<Object, FileJob<?>> jobs = new FileQueues<>(HangingFiles.OF_FILE_MAX);
    private final HangingFiles hanging = new HangingFiles();
    private final AtomicInteger threads = new AtomicInteger();

    /** The number of threads that were started, for their names. */
    private final AtomicInteger numbers = new AtomicInteger();

    /** The number of jobs that are queued or running. */
    private final AtomicInteger unfinished = new AtomicInteger();

    private volatile boolean closed;

    /**
     * @param name the name of the store, for the names of its threads
     */
    FileThreads(String name, Identity identity) {
        this.name = name;
        this.identity = identity;
    }

    /** Returns such threads with {@link HangingWatch}. */
    static FileThreads watched(String name, Identity identity) {
        var threads = new FileThreads(name, identity);
        HangingWatch.SHARED.add(threads);
        return threads;
    }

    /** Returns whether operations use the rights of their callers. */
    boolean actsForCallers() {
        return identity.mayAct();
    }

    /** Returns the umask of new files. {@link Creations} sets the bits that it clears. */
    int umask() {
        return identity.umask();
    }

    /** Returns whether any operation hangs at a file for long. */
    boolean hangsAt(FileId file) {
        return hanging.hangsAt(file);
    }

    /**
     * Runs an operation that belongs to others, which is never refused: on this thread if it is a
     * platform thread or the operation need not wait, otherwise on a thread of the store.
     */
    <R> R run(Operation<R> operation) throws StoreException {
        try {
            return runHere(null, operation, !Thread.currentThread().isVirtual());
        } catch (WouldBlock _) {
            return runApart(FileJob.Where.NOWHERE, operation);
        }
    }

    /**
     * Runs an operation at a file: on this thread if it is a platform thread or the operation need
     * not wait, otherwise on a thread of the store.
     *
     * @throws StoreException of the operation; AGAIN if it must wait and too many others hang
     */
    <R> R run(FileId at, Operation<R> operation) throws StoreException {
        boolean mayWait = !hanging.refuses(at);
        try {
            return runHere(at, operation, mayWait && !Thread.currentThread().isVirtual());
        } catch (WouldBlock _) {
            requireMayWait(mayWait);
            return runApart(FileJob.Where.at(at), operation);
        }
    }

    private static void requireMayWait(boolean mayWait) throws StoreException {
        if (!mayWait) {
            throw new StoreException(Failure.AGAIN, "too many operations hang there");
        }
    }

    /**
     * Runs an operation that belongs to others and must wait. It is never refused. It runs on this
     * thread if that is a platform thread, otherwise on a thread of the store.
     */
    <R> R runWaiting(Operation<R> operation) throws StoreException {
        return runWaiting(FileJob.Where.NOWHERE, operation);
    }

    /**
     * Runs an operation at a file that must wait: on this thread if it is a platform thread,
     * otherwise on a thread of the store.
     *
     * @throws StoreException of the operation; AGAIN if too many others hang
     */
    <R> R runWaiting(FileId at, Operation<R> operation) throws StoreException {
        return runWaiting(FileJob.Where.at(at), operation);
    }

    /**
     * Likewise for an operation that may have to wait at further files, where it does not count if
     * it hangs.
     */
    <R> R runWaiting(FileId at, List<FileId> others, Operation<R> operation) throws StoreException {
        return runWaiting(new FileJob.Where(at, others, true), operation);
    }

    /**
     * Runs the rest of what has changed a file already. It is never refused, because the caller
     * would repeat the change.
     */
    <R> R finish(FileId at, Operation<R> rest) throws StoreException {
        return runWaiting(new FileJob.Where(at, List.of(), false), rest);
    }

    private <R> R runWaiting(FileJob.Where where, Operation<R> operation) throws StoreException {
        if (Thread.currentThread().isVirtual()) {
            return runApart(where, operation);
        }
        requireMayWait(!hanging.refuses(where));
        return runHere(where.file(), operation, true);
    }

    private <R> R runHere(FileId at, Operation<R> operation, boolean waits) throws StoreException {
        var note = waits ? hanging.own() : null;
        // An operation within another one is a part of that one.
        boolean isNoted = note != null && !note.isBusy();
        var scratch = Scratch.acquire();
        try {
            if (isNoted) {
                note.begin(at);
            }
            return operation.run(new Call(scratch, at, waits, false));
        } finally {
            if (isNoted) {
                note.end();
            }
            scratch.release();
        }
    }

    /**
     * Runs an operation at a file on a thread of the store, which has a umask of 0 if possible.
     *
     * @throws StoreException of the operation; AGAIN if too many others hang
     */
    <R> R runApart(FileId at, Operation<R> operation) throws StoreException {
        return runApart(FileJob.Where.at(at), operation);
    }

    private <R> R runApart(FileJob.Where where, Operation<R> operation) throws StoreException {
        if (closed) {
            throw new StoreException(Failure.AGAIN, "the server is closed");
        }
        requireMayWait(!hanging.refuses(where));
        var job = new FileJob<>(where, operation, Thread.currentThread());
        submit(job);
        if (hanging.refuses(where)) { // The last look may have been before the job was queued.
            refuse(each -> each == job);
        }
        return job.await();
    }

    /** Returns whether this thread carries out an operation that may wait. */
    boolean isInOperation() {
        return !Thread.currentThread().isVirtual() && hanging.own().isBusy();
    }

    /**
     * Runs an operation at a file on a thread of the store, and waits for a moment. Then it goes on
     * without this thread, whose memory it must not use.
     *
     * @param atEnd runs when the operation has ended, also if it does not run
     * @throws StoreException of the operation; AGAIN if it, or another one there, hangs
     */
    <R> R runBriefly(FileId at, Runnable atEnd, Operation<R> operation) throws StoreException {
        if (closed || hanging.hangsAt(at)) {
            atEnd.run();
            throw new StoreException(Failure.AGAIN, "operations hang there");
        }
        var thread = Thread.currentThread();
        var job = new FileJob<>(FileJob.Where.at(at), at, operation, thread, atEnd);
        submit(job);
        return job.awaitBriefly(HangingFiles.HANGS_NANOS);
    }

    /**
     * Queues a task for a thread of the store. Its end is not waited for.
     *
     * @param turn few tasks with equal ones run at a time, as at one file
     */
    void later(Object turn, Operation<Void> task) {
        submit(new FileJob<>(FileJob.Where.NOWHERE, turn, task, null, () -> {}));
    }

    private void submit(FileJob<?> job) {
        unfinished.incrementAndGet();
        if (jobs.add(job.turn, job)) {
            startIfAllowed(job);
        }
    }

    /**
     * Starts a thread, if there may be one more.
     *
     * @param job is withdrawn if there is no thread for it
     * @return false if there may be no more
     */
    private boolean startIfAllowed(FileJob<?> job) {
        if (!reclaim()) {
            return false;
        }
        start(job, numbers.getAndIncrement());
        return true;
    }

    /** Returns how many threads there may be now. */
    private int most() {
        return THREADS_MAX + Math.min(hanging.threads(), THREADS_BESIDES_MAX);
    }

    /**
     * Looks for operations that hang. Ends those that wait for a thread and are refused now, and
     * starts threads for the others.
     *
     * @param now the time in nanoseconds, of any origin
     */
    synchronized void look(long now) {
        hanging.look(now);
        refuse(job -> hanging.refuses(job.where));
        for (int ready = jobs.ready(); ready > 0 && startIfAllowed(null); ready--) {
            // One more has been started.
        }
    }

    private void refuse(Predicate<FileJob<?>> which) {
        for (var each : jobs.remove(which)) {
            each.refusal = new StoreException(Failure.AGAIN, "too many operations hang there");
            finish(each);
        }
    }

    private void start(FileJob<?> job, int number) {
        try {
            Thread.ofPlatform().daemon().name("nfs-files-" + name + "-" + number).start(this::work);
        } catch (OutOfMemoryError tooMany) {
            // If another thread exists, it runs the job later. Otherwise the job is withdrawn and
            // never runs.
            if (threads.decrementAndGet() == 0
                    && job != null
                    && job.waiter != null
                    && !jobs.remove(each -> each == job).isEmpty()) {
                unfinished.decrementAndGet();
                job.end();
                throw tooMany;
            }
        }
    }

    private void work() {
        try {
            workUntilIdle();
        } catch (Throwable broken) {
            // Memory has run out. If no thread is left, the queued calls end here.
            int left = threads.decrementAndGet();
            for (var job : jobs.remove(_ -> left == 0)) {
                job.broken = broken;
                finish(job);
            }
        }
    }

    private void workUntilIdle() {
        var scratch = new Scratch();
        boolean ready = prepare(scratch);
        var note = hanging.own();
        note.isOfStore();
        while (true) {
            var taken = next();
            if (taken == null) {
                threads.decrementAndGet();
                // A job that was added after the last poll would wait forever.
                if (jobs.ready() == 0 || !reclaim()) {
                    return;
                }
                continue;
            }
            var job = taken.job();
            try {
                if (ready) {
                    note.begin(job.where.file());
                    job.run(new Call(scratch, job.where.file(), true, true));
                    note.end();
                } else {
                    job.refusal =
                            new StoreException(
                                    Failure.FAULT,
                                    "a thread could not set its umask and capabilities");
                }
            } finally {
                jobs.ended(taken);
                finish(job);
            }
        }
    }

    private boolean reclaim() {
        int count = threads.get();
        while (count < most()) {
            if (threads.compareAndSet(count, count + 1)) {
                return true;
            }
            count = threads.get();
        }
        return false;
    }

    private FileQueues.Taken<FileJob<?>> next() {
        try {
            return closed ? jobs.poll() : jobs.poll(IDLE_SECONDS);
        } catch (InterruptedException _) {
            return jobs.poll();
        }
    }

    private boolean prepare(Scratch scratch) {
        if (identity.umask() == 0) {
            if (Credentials.unshareFs(scratch) != 0) {
                return false;
            }
            Credentials.umask(scratch, 0);
        }
        return !identity.mayAct() || identity.restrict(scratch) == 0;
    }

    private void finish(FileJob<?> job) {
        job.end();
        unfinished.decrementAndGet();
        if (job.waiter == null) {
            return;
        }
        if (job.waiter.isVirtual()) {
            waker.wake(job.waiter);
        } else {
            LockSupport.unpark(job.waiter);
        }
    }

    /** Ends the threads. Waits for the queued and running jobs, up to a limit in case they hang. */
    void close() {
        closed = true;
        HangingWatch.SHARED.remove(this);
        long end = System.nanoTime() + CLOSE_NANOS;
        while (unfinished.get() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(CLOSE_POLL_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }
}
