package io.github.rpcrdma4j.oncrpc.spi;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Platform threads that carry out calls, as many as keep the processors in use: more would take
 * these from the threads that read calls and carry out short ones. Calls beyond that wait, and
 * their clients have turns. A thread that is held up by its call, by a disk or for ever, does not
 * count: others are started in its place, up to a bound. Thread-safe.
 */
final class PlatformThreads implements AutoCloseable {
    /** The most threads. */
    static final int MAX = 64;

    /** The most threads that are not held up; the Linux server has eight by default. */
    private static final int RUNNING_MAX =
            Math.clamp(4L * Runtime.getRuntime().availableProcessors(), 8, MAX);

    /** A call that takes longer holds its thread up. */
    private static final long HELD_UP_NANOS = Duration.ofMillis(50).toNanos();

    private static final long LOOK_NANOS = Duration.ofMillis(5).toNanos();
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final ThreadFactory factory;
    private final Executor beyond;
    private final FailureLog failures;
    private final CallQueues lines = new CallQueues();

    /** Guarded by itself. */
    private final Set<Worker> workers = new HashSet<>();

    /**
     * Starts the others. To start a thread takes long where all processors are in use, and callers
     * of {@link #execute} have no time.
     */
    private final Thread starter;

    private volatile boolean asleep;
    private volatile boolean stopped;

    /** A thread, and since when it carries out its call. */
    private final class Worker implements Runnable {
        private final Thread thread = factory.newThread(this);
        private volatile boolean busy;
        private volatile long since;

        boolean isHeldUp(long now) {
            return busy && now - since > HELD_UP_NANOS;
        }

        @Override
        public void run() {
            try {
                var call = lines.poll(IDLE);
                while (call != null) {
                    since = System.nanoTime();
                    busy = true;
                    carryOut(call);
                    busy = false;
                    call = stopped ? null : lines.poll(IDLE);
                }
            } catch (InterruptedException _) {
                // It is to end.
            } finally {
                synchronized (workers) {
                    workers.remove(this);
                }
            }
        }
    }

    /**
     * @param name of the threads, before their number
     * @param beyond carries out calls when all threads are held up
     * @param failures told what calls throw
     */
    PlatformThreads(String name, Executor beyond, FailureLog failures) {
        this.factory = Thread.ofPlatform().daemon().name(name, 0).factory();
        this.beyond = beyond;
        this.failures = failures;
        this.starter = Thread.ofPlatform().daemon().name(name + "starter").start(this::startAll);
    }

    /**
     * Has a call carried out. Never waits.
     *
     * @param client whose it is
     * @throws RejectedExecutionException if the threads were stopped
     */
    void execute(Object client, Runnable work) {
        if (stopped) {
            throw new RejectedExecutionException("the threads were stopped");
        }
        boolean awaited = lines.add(new CallQueues.Call(client, work));
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

    /** Carries a call out; if the threads were stopped it finds itself interrupted. */
    private void carryOut(CallQueues.Call call) {
        if (stopped) {
            Thread.currentThread().interrupt();
        }
        try {
            call.work().run();
        } catch (RuntimeException | Error mistake) {
            failures.report("a call failed by an internal error", mistake);
        } finally {
            // What stopped one call does not stop the next.
            Thread.interrupted();
        }
    }

    private void startAll() {
        while (!stopped) {
            try {
                if (lines.isEmpty()) {
                    sleep();
                } else if (!startOne()) {
                    LockSupport.parkNanos(this, LOOK_NANOS);
                }
            } catch (RuntimeException | Error none) {
                failures.report("no thread could be started for a call", none);
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
        endAll();
    }

    /** Calls that no thread has taken end like those that are interrupted. */
    private void endAll() {
        for (var call = lines.poll(); call != null; call = lines.poll()) {
            carryOut(call);
        }
    }

    private void sleep() {
        asleep = true;
        // A call that came before this thread could be seen asleep is seen here.
        if (lines.isEmpty() && !stopped) {
            LockSupport.park(this);
        }
        asleep = false;
    }

    /**
     * Returns false if as many threads run as may, or one that was started is about to take a call.
     */
    private boolean startOne() {
        long now = System.nanoTime();
        Worker worker = null;
        synchronized (workers) {
            long running = workers.stream().filter(each -> !each.isHeldUp(now)).count();
            if (running >= RUNNING_MAX) {
                return false;
            }
            if (workers.size() == MAX && workers.stream().anyMatch(each -> !each.busy)) {
                return false;
            }
            if (workers.size() < MAX && !stopped) {
                worker = new Worker();
                workers.add(worker);
            }
        }
        if (worker == null || !start(worker)) {
            carryOutBeyond();
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

    private void carryOutBeyond() {
        var call = lines.poll();
        if (call == null) {
            return;
        }
        boolean taken = false;
        try {
            beyond.execute(() -> carryOut(call));
            taken = true;
        } catch (RejectedExecutionException _) {
            carryOut(call);
            taken = true;
        } finally {
            if (!taken) {
                lines.add(call);
            }
        }
    }

    /** Interrupts all threads, and takes no more calls. */
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

    /** Stops, and waits for the end of what runs. Closing twice is harmless. */
    @Override
    public void close() {
        stop();
        CallThreads.awaitEnd(starter);
        running().forEach(each -> CallThreads.awaitEnd(each.thread));
    }
}
