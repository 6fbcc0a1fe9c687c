package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * Runs workers that share one job. The first failure stops the others, and is thrown when all have
 * stopped.
 */
public final class WorkerGroup {
    /** One share of the job. */
    interface Worker {
        void work() throws IOException, InterruptedException;
    }

    /** What is done with each of several items. */
    public interface Step<T> {
        /** Does it, on any thread. */
        void run(T item) throws IOException, InterruptedException;
    }

    private WorkerGroup() {}

    /**
     * Does a step with each of several items, and waits for all. The steps begin in the order of
     * the items. A single one runs on the calling thread.
     *
     * @param threads how many steps run at a time, at most
     * @throws IOException if a step threw it; the others are stopped then
     * @throws InterruptedException if the calling thread is interrupted; the steps are stopped then
     */
    public static <T> void forEach(int threads, Collection<T> items, Step<T> step)
            throws IOException, InterruptedException {
        var rest = new ConcurrentLinkedQueue<>(items);
        Worker worker =
                () -> {
                    for (var item = rest.poll(); item != null; item = rest.poll()) {
                        step.run(item);
                    }
                };
        run(Math.clamp(items.size(), 1, threads), worker);
    }

    /**
     * Runs {@code count} workers and waits for all of them. A single worker runs on the calling
     * thread.
     *
     * @throws InterruptedException if the calling thread is interrupted; the workers are then
     *     stopped
     */
    static void run(int count, Worker worker) throws IOException, InterruptedException {
        if (count == 1) {
            worker.work();
            return;
        }
        // Calls to the kernel for files hold the carrier of a virtual thread: a get of 1 GB took
        // 1.7 s on virtual threads, and 1.3 s on these. Nor does an interrupt wake a virtual thread
        // that reads from a pipe.
        var named = Thread.ofPlatform().daemon().name("rpcrdma-copy-", 0).factory();
        try (var threads = Executors.newThreadPerTaskExecutor(named)) {
            var ended = new ExecutorCompletionService<Void>(threads);
            List<Future<Void>> futures = new ArrayList<>(count);
            Callable<Void> share =
                    () -> {
                        worker.work();
                        return null;
                    };
            for (int i = 0; i < count; i++) {
                futures.add(ended.submit(share));
            }
            try {
                for (int i = 0; i < count; i++) {
                    ended.take().get();
                }
            } catch (ExecutionException failed) {
                rethrow(failed.getCause());
            } finally {
                // After a success all futures are done, and this cancels nothing.
                futures.forEach(future -> future.cancel(true));
            }
        }
    }

    /**
     * Runs a step that must not be abandoned. An interrupt of the calling thread does not stop the
     * step; the calling thread waits for its end and then has its interrupt status set again.
     */
    static <T> T runUninterrupted(Callable<T> step) throws IOException, InterruptedException {
        var task = new FutureTask<>(step);
        Thread.startVirtualThread(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException failed) {
            rethrow(failed.getCause());
            throw new IllegalStateException("a cause is always thrown", failed);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void rethrow(Throwable cause) throws IOException, InterruptedException {
        switch (cause) {
            case IOException failure -> throw failure;
            case InterruptedException interrupted -> throw interrupted;
            case RuntimeException broken -> throw broken;
            case Error broken -> throw broken;
            default -> throw new CancellationException(cause.toString());
        }
    }
}
