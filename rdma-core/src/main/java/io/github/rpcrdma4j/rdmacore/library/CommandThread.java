package io.github.rpcrdma4j.rdmacore.library;

import java.lang.foreign.Arena;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A thread that never changes its credentials, for the commands of threads that have.
 *
 * <p>The kernel refuses commands to a device from a thread whose credentials are not those with
 * which the device was opened. A server that acts as its callers changes the credentials of its
 * threads, and they stay different for the kernel when they are restored.
 */
public final class CommandThread {
    private static final ThreadPoolExecutor THREAD = executor();

    /** The descriptor of a device for the probe, or -1 before one is open. */
    private static volatile int descriptor = -1;

    private static final long PROBE = Arena.global().allocate(8).address();

    private CommandThread() {}

    /** Starts the thread now: it inherits the credentials of its creator. */
    private static ThreadPoolExecutor executor() {
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        0,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        command ->
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("rdma-commands")
                                        .unstarted(command));
        executor.prestartCoreThread();
        return executor;
    }

    /** Names a descriptor of an open device. */
    static void watch(int opened) {
        descriptor = opened;
    }

    /** Returns whether the kernel takes commands from this thread. */
    private static boolean isAllowed() {
        // A command of one byte is too short to be one. The kernel checks the credentials first.
        return descriptor < 0 || Verbs.write(descriptor, PROBE, 1) != Errno.EACCES;
    }

    /** Runs a command: here if the kernel takes it from this thread, else on the command thread. */
    static long run(LongSupplier command) {
        return isAllowed() ? command.getAsLong() : call(command::getAsLong);
    }

    /** Starts a thread that sends commands itself: it inherits the credentials for them. */
    public static void start(Thread unstarted) {
        call(
                () -> {
                    unstarted.start();
                    return unstarted;
                });
    }

    /** Runs code on the command thread, and waits for its result. */
    public static <T> T call(Callable<T> code) {
        var task = THREAD.submit(code);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result(task);
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static <T> T result(Future<T> task) throws InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException failed) {
            throw Libraries.thrown(failed.getCause());
        }
    }
}
