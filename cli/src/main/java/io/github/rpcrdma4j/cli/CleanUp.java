package io.github.rpcrdma4j.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Gives a command time to clean up when the user or the system ends the process (SIGINT, SIGTERM,
 * SIGHUP): its thread is interrupted, and the process waits until it is done. A command that is not
 * done after {@value #WAIT_SECONDS} seconds is left as it is.
 */
final class CleanUp implements AutoCloseable {
    private static final int WAIT_SECONDS = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread command = Thread.currentThread();
    private final Thread hook = new Thread(this::end, "rpcrdma-ending");
    private final String unfinished;

    private CleanUp(String unfinished) {
        this.unfinished = unfinished;
    }

    /**
     * Watches over the calling thread until it is closed.
     *
     * @param unfinished what to tell if there was no time to clean up
     */
    static CleanUp watch(String unfinished) {
        var ending = new CleanUp(unfinished);
        Runtime.getRuntime().addShutdownHook(ending.hook);
        return ending;
    }

    private void end() {
        command.interrupt();
        try {
            if (!done.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("rpcrdma: interrupted: " + unfinished);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command is done; nothing waits for it any more. */
    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The process is ending, and the hook runs.
        }
    }
}
