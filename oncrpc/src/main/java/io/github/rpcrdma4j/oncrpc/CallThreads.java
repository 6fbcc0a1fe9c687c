package io.github.rpcrdma4j.oncrpc;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which a server carries out calls: a virtual thread for each, and a bounded number
 * of platform threads for calls that wait in system calls. When these are taken, such calls have
 * virtual threads too, so calls that wait for ever cannot keep others from being carried out.
 * Thread-safe.
 */
public final class CallThreads implements Executor, AutoCloseable {
    /** The most platform threads. */
    public static final int PLATFORM_MAX = 64;

    private static final long IDLE_SECONDS = 30;

    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final ExecutorService platform;

    /**
     * @param name of the platform threads, before their number
     */
    public CallThreads(String name) {
        platform =
                new ThreadPoolExecutor(
                        0,
                        PLATFORM_MAX,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        Thread.ofPlatform().daemon().name(name, 0).factory(),
                        (call, _) -> virtual.execute(call));
    }

    /**
     * Runs something on a virtual thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the threads were stopped
     */
    @Override
    public void execute(Runnable task) {
        virtual.execute(task);
    }

    /**
     * Carries out a call.
     *
     * @param waits whether it may wait in system calls: {@link RpcProgram#waitsInSystemCalls}
     * @throws java.util.concurrent.RejectedExecutionException if the threads were stopped
     */
    public void carryOut(Runnable call, boolean waits) {
        (waits ? platform : virtual).execute(call);
    }

    /** Interrupts all threads, and takes no more calls. */
    public void stop() {
        platform.shutdownNow();
        virtual.shutdownNow();
    }

    /** Stops, and waits for the end of what runs. Closing twice is harmless. */
    @Override
    public void close() {
        stop();
        platform.close();
        virtual.close();
    }
}
