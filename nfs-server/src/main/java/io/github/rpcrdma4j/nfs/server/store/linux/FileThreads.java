package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Credentials;
import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Carries out the operations of one store, each on a thread that may wait for storage and take the
 * identity of a caller. A file system that hangs holds up the threads of its own store.
 * Thread-safe.
 *
 * <p>A platform thread carries out its operations itself. A virtual thread first tries without
 * waiting, and then hands the operation to a thread of the store: it would hold up its carrier, and
 * a carrier never has a foreign identity.
 *
 * <p>Threads of the store also make all new files. Each has a umask of 0 of its own, where that is
 * possible, so the kernel makes files with the mode that was asked for, and no capability but those
 * that files need. For a virtual thread that is woken a carrier might be started, which would
 * inherit all that: so threads of the store have virtual threads woken by {@link Waker}.
 */
final class FileThreads {
    static final int THREADS_MAX = 64;
    private static final long IDLE_SECONDS = 30;
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long CLOSE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What is done to files. It may run twice, once without and once with the right to wait. */
    interface Operation<R> {
        R run(Call call) throws StoreException;
    }

    /** System calls under the identity of a caller, and nothing else: see {@link Identity}. */
    interface Section {
        int run(Scratch scratch);
    }

    /**
     * The means of an operation: memory for system calls, and what its thread may do. A thread is
     * restricted if it has no capability but those that files need.
     */
    final class Call {
        final Scratch scratch;
        private final boolean waits;
        private final boolean restricted;

        private Call(Scratch scratch, boolean waits, boolean restricted) {
            this.scratch = scratch;
            this.waits = waits;
            this.restricted = restricted;
        }

        /** From here on the operation may wait. */
        void mustWait() {
            if (!waits) {
                throw WouldBlock.NOW;
            }
        }

        boolean mayWait() {
            return waits;
        }

        /**
         * Whether a file is the caller's, or this process' own where it cannot act for others. The
         * attributes of the file are in the scratch.
         */
        boolean owns(Caller caller) {
            return switch (caller) {
                case Caller.Server _ -> true;
                case Caller.User user ->
                        Statx.uid(scratch) == (identity.mayAct() ? user.uid() : identity.uid());
            };
        }

        /**
         * Makes system calls with the rights of a caller. Where this process cannot act for others
         * they are made with its own.
         *
         * @return what the section returns
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
                return identity.take(scratch, user, restricted)
                        ? section.run(scratch)
                        : -Errno.PERM;
            } finally {
                identity.giveBack(scratch, restricted);
            }
        }
    }

    private static final class Job<R> {
        final Operation<R> operation;

        /** The thread that waits for the end; null if none does. */
        final Thread waiter;

        R result;
        StoreException refusal;
        Throwable broken;
        volatile boolean done;

        Job(Operation<R> operation, Thread waiter) {
            this.operation = operation;
            this.waiter = waiter;
        }

        void run(Call call) {
            try {
                result = operation.run(call);
            } catch (StoreException refused) {
                refusal = refused;
            } catch (Throwable failure) {
                broken = failure;
            }
        }
    }

    private final String name;
    private final Identity identity;

    /** Taken here: the first to ask for it starts its thread, which must be one like any other. */
    private final Waker waker = Waker.SHARED;

    private final LinkedTransferQueue<Job<?>> jobs = new LinkedTransferQueue<>();
    private final AtomicInteger threads = new AtomicInteger();

    /** Jobs that are queued or being done. */
    private final AtomicInteger unfinished = new AtomicInteger();

    private volatile boolean closed;

    /**
     * @param name of the store, for its threads
     */
    FileThreads(String name, Identity identity) {
        this.name = name;
        this.identity = identity;
    }

    /** Whether operations are made with the rights of their callers. */
    boolean actsForCallers() {
        return identity.mayAct();
    }

    /** The umask under which files are made; {@link Creations} sets the bits that it cleared. */
    int umask() {
        return identity.umask();
    }

    /**
     * Carries out an operation: here if this is a platform thread or if that goes without waiting,
     * else on one of the threads.
     */
    <R> R run(Operation<R> operation) throws StoreException {
        try {
            return runHere(operation);
        } catch (WouldBlock _) {
            return runApart(operation);
        }
    }

    /** Carries out an operation that has to wait: here if this is a platform thread. */
    <R> R runWaiting(Operation<R> operation) throws StoreException {
        return Thread.currentThread().isVirtual() ? runApart(operation) : runHere(operation);
    }

    private <R> R runHere(Operation<R> operation) throws StoreException {
        var scratch = Scratch.take();
        try {
            return operation.run(new Call(scratch, !Thread.currentThread().isVirtual(), false));
        } finally {
            scratch.give();
        }
    }

    /** Carries out an operation on one of the threads: they have a umask of 0, where they can. */
    <R> R runApart(Operation<R> operation) throws StoreException {
        if (closed) {
            throw new StoreException(Failure.AGAIN, "the server is closed");
        }
        var job = new Job<>(operation, Thread.currentThread());
        submit(job);
        await(job);
        if (job.refusal != null) {
            throw job.refusal;
        }
        switch (job.broken) {
            case null -> {}
            case RuntimeException mistake -> throw mistake;
            case Error mistake -> throw mistake;
            case Throwable other -> throw new AssertionError(other);
        }
        return job.result;
    }

    /** Work that no thread waits for. */
    interface Chore {
        void run(Call call) throws StoreException;
    }

    /** Has a thread of the store do some work soon. */
    void later(Chore chore) {
        submit(
                new Job<Void>(
                        call -> {
                            chore.run(call);
                            return null;
                        },
                        null));
    }

    private void submit(Job<?> job) {
        unfinished.incrementAndGet();
        if (jobs.tryTransfer(job)) {
            return;
        }
        jobs.add(job);
        int count = threads.get();
        while (count < THREADS_MAX && !jobs.isEmpty()) {
            if (threads.compareAndSet(count, count + 1)) {
                start(job, count);
                return;
            }
            count = threads.get();
        }
    }

    private void start(Job<?> job, int number) {
        try {
            Thread.ofPlatform().daemon().name("nfs-files-" + name + "-" + number).start(this::work);
        } catch (OutOfMemoryError tooMany) {
            // With another thread the job is done later; a job that is withdrawn is never done.
            if (threads.decrementAndGet() == 0 && job.waiter != null && jobs.remove(job)) {
                unfinished.decrementAndGet();
                throw tooMany;
            }
        }
    }

    /** Waits for the end of a job, however often this thread is interrupted: it uses our memory. */
    private static void await(Job<?> job) {
        boolean interrupted = false;
        while (!job.done) {
            // Without memory for it a thread may not be woken.
            LockSupport.parkNanos(job, WAIT_NANOS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        try {
            workUntilIdle();
        } catch (Throwable broken) {
            // There is no memory: calls that no thread is left for end here.
            int left = threads.decrementAndGet();
            for (var job = left == 0 ? jobs.poll() : null; job != null; job = jobs.poll()) {
                job.broken = broken;
                finish(job);
            }
        }
    }

    private void workUntilIdle() {
        var scratch = new Scratch();
        boolean ready = prepare(scratch);
        var call = new Call(scratch, true, true);
        while (true) {
            var job = next();
            if (job == null) {
                threads.decrementAndGet();
                // A job that came between the last look and now would wait for ever.
                if (jobs.isEmpty() || !reclaim()) {
                    return;
                }
                continue;
            }
            if (ready) {
                job.run(call);
            } else {
                job.refusal = new StoreException(Failure.FAULT, "a thread could not be prepared");
            }
            finish(job);
        }
    }

    private boolean reclaim() {
        int count = threads.get();
        while (count < THREADS_MAX) {
            if (threads.compareAndSet(count, count + 1)) {
                return true;
            }
            count = threads.get();
        }
        return false;
    }

    private Job<?> next() {
        try {
            return closed ? jobs.poll() : jobs.poll(IDLE_SECONDS, TimeUnit.SECONDS);
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

    private void finish(Job<?> job) {
        job.done = true;
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

    /** Lets the threads end, and waits for the jobs that are there; for a while, if they hang. */
    void close() {
        closed = true;
        long end = System.nanoTime() + CLOSE_NANOS;
        while (unfinished.get() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(CLOSE_LOOK_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
        }
    }
}
