package io.github.rpcrdma4j.cli.files;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Gives a command time to clean up when the user or the system ends the process (SIGINT, SIGTERM,
 * SIGHUP). It interrupts the thread of the command; the process waits for the command, but at most
 * {@value #WAIT_SECONDS} seconds.
 */
final class CleanUp implements AutoCloseable {
    private static final int WAIT_SECONDS = 10;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread command = Thread.currentThread();
    private final Thread hook = new Thread(() -> end(WAIT_SECONDS), "rpcrdma-ending");
    private final String unfinished;
    private final Consumer<String> printer;

    private CleanUp(String unfinished, Consumer<String> printer) {
        this.unfinished = unfinished;
        this.printer = printer;
    }

    /**
     * Watches the calling thread until this is closed.
     *
     * @param unfinished the message if there was no time to clean up
     * @param printer receives the line with that message
     */
    public static CleanUp watch(String unfinished, Consumer<String> printer) {
        var ending = new CleanUp(unfinished, printer);
        Runtime.getRuntime().addShutdownHook(ending.hook);
        return ending;
    }

    /** Interrupts the command and waits for its end, for the given time at most. */
    void end(long seconds) {
        command.interrupt();
        try {
            if (!done.await(seconds, TimeUnit.SECONDS)) {
                printer.accept("rpcrdma: interrupted: " + unfinished);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports that the command is done; the process no longer waits for it. */
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
