package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Platform threads that carry out calls, as many as keep the processors in use: more would take
 * these from the threads that read calls and carry out short ones. Calls beyond that wait. A thread
 * that is held up by its call, by a disk or for ever, does not count: others are started in its
 * place, up to a bound. Thread-safe.
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
    private static final long IDLE_SECONDS = 30;

    private final ThreadFactory factory;
    private final Executor beyond;
    private final LinkedTransferQueue<Runnable> waiting = new LinkedTransferQueue<>();

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
                var call = waiting.poll(IDLE_SECONDS, TimeUnit.SECONDS);
                while (call != null) {
                    carryOut(call);
                    call = stopped ? null : waiting.poll(IDLE_SECONDS, TimeUnit.SECONDS);
                }
            } catch (InterruptedException _) {
                // It is to end.
            } finally {
                synchronized (workers) {
                    workers.remove(this);
                }
            }
        }

        private void carryOut(Runnable call) {
            since = System.nanoTime();
            busy = true;
            try {
                PlatformThreads.this.carryOut(call);
            } finally {
                busy = false;
            }
        }
    }

    /**
     * @param name of the threads, before their number
     * @param beyond carries out calls when all threads are held up
     */
    PlatformThreads(String name, Executor beyond) {
        this.factory = Thread.ofPlatform().daemon().name(name, 0).factory();
        this.beyond = beyond;
        this.starter = Thread.ofPlatform().daemon().name(name + "starter").start(this::startAll);
    }

    /**
     * Has a call carried out. Never waits.
     *
     * @throws RejectedExecutionException if the threads were stopped
     */
    void execute(Runnable call) {
        requireRunning();
        if (waiting.tryTransfer(call)) {
            return;
        }
        waiting.put(call);
        if (stopped && waiting.remove(call)) {
            requireRunning();
        }
        if (asleep) {
            LockSupport.unpark(starter);
        }
    }

    private void requireRunning() {
        if (stopped) {
            throw new RejectedExecutionException("the threads were stopped");
        }
    }

    /** Carries a call out; if the threads were stopped it finds itself interrupted. */
    private void carryOut(Runnable call) {
        if (stopped) {
            Thread.currentThread().interrupt();
        }
        try {
            call.run();
        } catch (RuntimeException | Error mistake) {
            var thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, mistake);
        } finally {
            // What stopped one call does not stop the next.
            Thread.interrupted();
        }
    }

    private void startAll() {
        while (!stopped) {
            if (waiting.isEmpty()) {
                sleep();
            } else if (!startOne()) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
        }
        // Calls that no thread has taken end like those that are interrupted.
        for (var call = waiting.poll(); call != null; call = waiting.poll()) {
            carryOut(call);
        }
    }

    private void sleep() {
        asleep = true;
        // A call that came before this thread could be seen asleep is seen here.
        if (waiting.isEmpty() && !stopped) {
            LockSupport.park(this);
        }
        asleep = false;
    }

    /** Returns false if as many threads run as may. */
    private boolean startOne() {
        long now = System.nanoTime();
        Worker worker = null;
        synchronized (workers) {
            long running = workers.stream().filter(each -> !each.isHeldUp(now)).count();
            if (running >= RUNNING_MAX) {
                return false;
            }
            if (workers.size() < MAX && !stopped) {
                worker = new Worker();
                workers.add(worker);
            }
        }
        if (worker == null || !start(worker)) {
            var call = waiting.poll();
            if (call != null) {
                carryOutBeyond(call);
            }
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

    private void carryOutBeyond(Runnable call) {
        try {
            beyond.execute(call);
        } catch (RejectedExecutionException _) {
            // Stopped meanwhile.
            carryOut(call);
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
        boolean interrupted = join(starter);
        for (var each : running()) {
            interrupted |= join(each.thread);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the end of a thread; returns whether this one was interrupted meanwhile. */
    private static boolean join(Thread thread) {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                return interrupted;
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
    }
}
