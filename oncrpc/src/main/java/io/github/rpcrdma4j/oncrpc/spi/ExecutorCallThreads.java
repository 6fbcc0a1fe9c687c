package io.github.rpcrdma4j.oncrpc.spi;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Carries out calls on an executor that the application owns. Thread-safe. */
final class ExecutorCallThreads implements CallThreads {
    private final Executor executor;

    /** The threads that run a task now. Guarded by itself, like the fields below. */
    private final Set<Thread> running = new HashSet<>();

    /** The number of tasks that the executor accepted and has not begun. */
    private int queued;

    private boolean stopped;

    ExecutorCallThreads(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (running) {
            if (stopped) {
                throw new RejectedExecutionException("the server is stopping");
            }
            queued++;
        }
        try {
            executor.execute(() -> run(task));
        } catch (RejectedExecutionException rejected) {
            synchronized (running) {
                queued--;
                running.notifyAll();
            }
            throw rejected;
        }
    }

    @Override
    public void execute(Object client, Runnable call, Kind kind) {
        execute(call);
    }

    private void run(Runnable task) {
        synchronized (running) {
            queued--;
            running.add(Thread.currentThread());
            if (stopped) {
                Thread.currentThread().interrupt();
            }
        }
        try {
            task.run();
        } finally {
            synchronized (running) {
                running.remove(Thread.currentThread());
                if (stopped) {
                    // The interrupt was for the call. The thread belongs to the application.
                    Thread.interrupted();
                }
                running.notifyAll();
            }
        }
    }

    @Override
    public void stop() {
        synchronized (running) {
            stopped = true;
            running.forEach(Thread::interrupt);
        }
    }

    @Override
    public void close() {
        stop();
        boolean interrupted = false;
        synchronized (running) {
            while (queued > 0 || !running.isEmpty()) {
                try {
                    running.wait();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
