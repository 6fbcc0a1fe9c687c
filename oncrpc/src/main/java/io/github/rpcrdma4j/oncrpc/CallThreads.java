package io.github.rpcrdma4j.oncrpc;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * The threads on which a server carries out calls: a virtual thread for each, and a bounded number
 * of platform threads for calls that wait in system calls. Short ones have platform threads of
 * their own, so they do not stand in line with long ones. When all are held up, such calls have
 * virtual threads too, so calls that wait for ever cannot keep others from being carried out.
 * Thread-safe.
 */
public final class CallThreads implements Executor, AutoCloseable {
    /** The most platform threads for calls of one kind. */
    public static final int PLATFORM_MAX = PlatformThreads.MAX;

    /** How calls use their threads. */
    public enum Kind {
        /** They wait as virtual threads can. */
        VIRTUAL,
        /** They wait in system calls, usually for a moment: {@link RpcProgram#isUsuallyQuick}. */
        SHORT,
        /** They wait in system calls for longer, or move much. */
        LONG
    }

    private final ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
    private final PlatformThreads shortCalls;
    private final PlatformThreads longCalls;

    /**
     * @param name of the platform threads, before their number
     * @param failures told what calls throw
     */
    public CallThreads(String name, FailureLog failures) {
        shortCalls = new PlatformThreads(name + "short-", virtual, failures);
        longCalls = new PlatformThreads(name + "long-", virtual, failures);
    }

    /**
     * Runs something on a virtual thread.
     *
     * @throws RejectedExecutionException if the threads were stopped
     */
    @Override
    public void execute(Runnable task) {
        virtual.execute(task);
    }

    /**
     * Carries out a call. Never waits. If the threads are stopped before that, it is run and finds
     * its thread interrupted.
     *
     * @param client whose it is: calls of one client wait for each other, and clients have turns
     * @throws RejectedExecutionException if the threads were stopped
     */
    public void carryOut(Object client, Runnable call, Kind kind) {
        switch (kind) {
            case VIRTUAL -> virtual.execute(call);
            case SHORT -> shortCalls.execute(client, call);
            case LONG -> longCalls.execute(client, call);
        }
    }

    /** Interrupts all threads, and takes no more calls. */
    public void stop() {
        shortCalls.stop();
        longCalls.stop();
        virtual.shutdownNow();
    }

    /** Stops, and waits for the end of what runs. Closing twice is harmless. */
    @Override
    public void close() {
        stop();
        shortCalls.close();
        longCalls.close();
        virtual.close();
    }
}
