package io.github.rpcrdma4j.oncrpc.spi;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Platform threads that carry out calls, as many as keep the processors busy. More threads would
 * take processors from the threads that read calls and carry out short ones. Further calls wait,
 * and the threads serve their clients in turn. A thread that its call holds up, for a slow disk or
 * for ever, does not count: another thread replaces it, up to a bound. One whose call hangs does
 * not count in that bound, up to another one. Thread-safe.
 */
final class PlatformThreads implements AutoCloseable {
    /** The most threads whose calls do not hang. */
    static final int MAX = 64;

    /** The most threads besides, while the calls of others hang. */
    static final int BESIDES_MAX = 64;

    /**
     * The most threads that are not held up. The NFS server of Linux has eight threads by default.
     */
    private static final int RUNNING_MAX =
            Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, MAX);

    /** The time after which a call holds up its thread. */
    private static final long HELD_UP_NANOS = Duration.ofMillis(50).toNanos();

    /** The time after which a call hangs. */
    private static final long HANGS_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long CHECK_NANOS = Duration.ofMillis(5).toNanos();
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final ThreadFactory factory;
    private final Executor overflow;
    private final FailureLog failures;
    private final LongSupplier clock;
    private final CallQueues queues = new CallQueues();

    /** Guarded by itself. */
    private final Set<Worker> workers = new HashSet<>();

    /**
     * Starts the worker threads. Starting a thread is slow when all processors are busy, and
     * callers of {@link #execute} must not wait.
     */
    private final Thread starter;

    private volatile boolean asleep;
    private volatile boolean stopped;

    /** A thread, and when it began its call. */
    private final class Worker implements Runnable {
        private final Thread thread = factory.newThread(this);
        private volatile boolean busy;
        private volatile long since;

        boolean isHeldUp(long now) {
            return busy && now - since > HELD_UP_NANOS;
        }

        boolean hangs(long now) {
            return busy && now - since > HANGS_NANOS;
        }

        @Override
        public void run() {
            try {
                var call = queues.poll(IDLE);
                while (call != null) {
                    since = clock.getAsLong();
                    busy = true;
                    runCall(call);
                    busy = false;
                    call = stopped ? null : queues.poll(IDLE);
                }
            } catch (InterruptedException _) {
                // The threads were stopped.
            } finally {
                synchronized (workers) {
                    workers.remove(this);
                }
            }
        }
    }

    /**
     * @param name the name of the threads, without their number
     * @param overflow carries out calls when all threads are held up
     * @param failures reports the exceptions that calls throw
     */
    PlatformThreads(String name, Executor overflow, FailureLog failures) {
        this(name, overflow, failures, System::nanoTime);
    }

    /**
     * @param clock tells how long calls take, in nanoseconds of any origin
     */
    PlatformThreads(String name, Executor overflow, FailureLog failures, LongSupplier clock) {
        this.clock = clock;
        this.factory = Thread.ofPlatform().daemon().name(name, 0).factory();
        this.overflow = overflow;
        this.failures = failures;
        this.starter = Thread.ofPlatform().daemon().name(name + "starter").start(this::startAll);
    }

    /**
     * Queues a call for the threads, and returns at once.
     *
     * @param client the client that sent the call
     * @throws RejectedExecutionException if the threads were stopped
     */
    void execute(Object client, Runnable work) {
        if (stopped) {
            throw new RejectedExecutionException("the threads were stopped");
        }
        boolean awaited = queues.add(new CallQueues.Call(client, work));
        if (stopped) {
            boolean interrupted = Thread.interrupted();
            endAll();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        } else if (!awaited && asleep) {
            LockSupport.unpark(starter);
        }
    }

    /** Carries out a call. If the threads were stopped, the call runs on an interrupted thread. */
    private void runCall(CallQueues.Call call) {
        if (stopped) {
            Thread.currentThread().interrupt();
        }
        try {
            call.work().run();
        } catch (RuntimeException | Error mistake) {
            failures.report("a call failed by an internal error", mistake);
        } finally {
            // An interrupt of one call must not reach the next.
            Thread.interrupted();
        }
    }

    private void startAll() {
        while (!stopped) {
            try {
                if (queues.isEmpty()) {
                    sleep();
                } else if (!startOne()) {
                    LockSupport.parkNanos(this, CHECK_NANOS);
                }
            } catch (RuntimeException | Error none) {
                failures.report("no thread could be started for a call", none);
                LockSupport.parkNanos(this, CHECK_NANOS);
            }
        }
        endAll();
    }

    /** Runs the calls that no thread has taken, with the interrupt status set, so that they end. */
    private void endAll() {
        for (var call = queues.poll(); call != null; call = queues.poll()) {
            runCall(call);
        }
    }

    private void sleep() {
        asleep = true;
        // A call that was added before asleep was set is found here.
        if (queues.isEmpty() && !stopped) {
            LockSupport.park(this);
        }
        asleep = false;
    }

    /**
     * Starts a thread for a waiting call, or runs the call on {@code overflow} if no thread can
     * start. Returns false if the bound on running threads is reached, or an idle thread is about
     * to take the call.
     */
    private boolean startOne() {
        long now = clock.getAsLong();
        Worker worker = null;
        synchronized (workers) {
            long running = workers.stream().filter(each -> !each.isHeldUp(now)).count();
            if (running >= RUNNING_MAX) {
                return false;
            }
            long hanging = workers.stream().filter(each -> each.hangs(now)).count();
            long most = MAX + Math.min(hanging, BESIDES_MAX);
            if (workers.size() >= most && workers.stream().anyMatch(each -> !each.busy)) {
                return false;
            }
            if (workers.size() < most && !stopped) {
                worker = new Worker();
                workers.add(worker);
            }
        }
        if (worker == null || !start(worker)) {
            runOnOverflow();
        }
        return true;
    }

    private boolean start(Worker worker) {
        try {
            worker.thread.start();
            return true;
        } catch (OutOfMemoryError none) {
            // The system allows no more threads.
            synchronized (workers) {
                workers.remove(worker);
            }
            return false;
        }
    }

    private void runOnOverflow() {
        var call = queues.poll();
        if (call == null) {
            return;
        }
        boolean taken = false;
        try {
            overflow.execute(() -> runCall(call));
            taken = true;
        } catch (RejectedExecutionException _) {
            runCall(call);
            taken = true;
        } finally {
            if (!taken) {
                queues.add(call);
            }
        }
    }

    /** Interrupts all threads, and rejects further calls. */
    void stop() {
        stopped = true;
        LockSupport.unpark(starter);
        running().forEach(each -> each.thread.interrupt());
    }

    private List<Worker> running() {
        synchronized (workers) {
            return List.copyOf(workers);
        }
    }

    /** Stops the threads, and waits until running calls have ended. Closing twice is harmless. */
    @Override
    public void close() {
        stop();
        CallThreads.awaitEnd(starter);
        running().forEach(each -> CallThreads.awaitEnd(each.thread));
    }
}
