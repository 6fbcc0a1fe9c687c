package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The threads on which a server carries out calls. Thread-safe. */
public interface CallThreads extends Executor, AutoCloseable {
    /** The most platform threads for calls of one kind. */
    int PLATFORM_MAX = PlatformThreads.MAX;

    /** How calls use their threads. */
    enum Kind {
        /** They wait as virtual threads can. */
        VIRTUAL,
        /**
         * They wait in system calls, usually for a moment: {@link
         * ProcedureDescriptor.Cost#USUALLY_QUICK}.
         */
        SHORT,
        /** They wait in system calls for longer, or move much. */
        LONG
    }

    /**
     * Threads of the machine: a virtual thread for each call, and a bounded number of platform
     * threads for calls that wait in system calls. Short ones have platform threads of their own,
     * so they do not stand in line with long ones. When all are held up, such calls have virtual
     * threads too, so calls that wait for ever cannot keep others from being carried out.
     *
     * @param name of the platform threads, before their number
     * @param failures told what calls throw
     */
    static CallThreads ofMachine(String name, FailureLog failures) {
        return new MachineCallThreads(name, failures);
    }

    /**
     * Threads of an executor, which has a thread for each call. It is not closed with these
     * threads; the calls that run on it are interrupted and waited for.
     */
    static CallThreads on(Executor executor) {
        return new ExecutorCallThreads(executor);
    }

    /**
     * Runs something on a thread that may wait.
     *
     * @throws RejectedExecutionException if the threads were stopped
     */
    @Override
    void execute(Runnable task);

    /**
     * Carries out a call. Never waits. If the threads are stopped before that, it is run and finds
     * its thread interrupted.
     *
     * @param client whose it is: calls of one client wait for each other, and clients have turns
     * @throws RejectedExecutionException if the threads were stopped
     */
    void carryOut(Object client, Runnable call, Kind kind);

    /** Interrupts all threads, and takes no more calls. */
    void stop();

    /** Stops, and waits for the end of what runs. Closing twice is harmless. */
    @Override
    void close();

    /** Waits until a thread has ended. An interrupt does not end the wait, and is kept. */
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
