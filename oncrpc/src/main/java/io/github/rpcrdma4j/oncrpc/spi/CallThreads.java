package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads on which a server carries out calls. Thread-safe. */
public interface CallThreads extends Executor, AutoCloseable {
    /** The most platform threads for calls of one kind, besides those whose calls hang. */
    int PLATFORM_MAX = PlatformThreads.MAX;

    /** The use that a call makes of its thread. */
    enum Kind {
        /** Calls that wait only in operations that release the carrier of a virtual thread. */
        VIRTUAL,
        /**
         * Calls that wait in system calls, usually briefly: {@link
         * ProcedureDescriptor.Cost#USUALLY_QUICK}.
         */
        SHORT,
        /** Calls that wait in system calls for longer, or move much data. */
        LONG
    }

    /**
     * Returns threads of the machine: a virtual thread for each call, and a bounded number of
     * platform threads for calls that wait in system calls. Short calls have platform threads of
     * their own, so they do not queue behind long calls. A thread whose call hangs is replaced by
     * another one, up to a bound. When all platform threads are held up, further such calls run on
     * virtual threads, so calls that wait for ever do not stop other calls.
     *
     * @param name the name of the platform threads, without their number
     * @param failures reports the exceptions that calls throw
     */
    static CallThreads create(String name, FailureLog failures) {
        return new DefaultCallThreads(name, failures);
    }

    /**
     * Returns threads of an executor, which must have a thread for each call. Closing these threads
     * does not close the executor; it interrupts the calls that run there and waits for their end.
     */
    static CallThreads on(Executor executor) {
        return new ExecutorCallThreads(executor);
    }

    /**
     * Runs a task on a thread that may wait.
     *
     * @throws RejectedExecutionException if the threads were stopped
     */
    @Override
    void execute(Runnable task);

    /**
     * Carries out a call on one of the threads, and returns at once. If the threads are stopped
     * before the call begins, it still runs, on an interrupted thread.
     *
     * @param client the client that sent the call: calls of one client queue behind each other, and
     *     the threads serve clients in turn
     * @throws RejectedExecutionException if the threads were stopped
     */
    void execute(Object client, Runnable call, Kind kind);

    /** Interrupts all threads, and rejects further calls. */
    void stop();

    /** Stops the threads, and waits until running calls have ended. Closing twice is harmless. */
    @Override
    void close();

    /**
     * Waits until a thread has ended. An interrupt does not end the wait; the interrupt status is
     * set again afterwards.
     */
    static void awaitEnd(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
