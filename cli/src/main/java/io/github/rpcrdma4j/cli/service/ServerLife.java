package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.verbs.RdmaException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine;

/**
 * The life of a command that serves until the process is asked to stop. The process then ends after
 * the command has cleaned up.
 */
public final class ServerLife {
    private static final long CLEAN_UP_SECONDS = 10;

    /**
     * Opens when the command has released everything. The shutdown hook waits for it, because the
     * process ends when the hook returns.
     */
    private final CountDownLatch cleanedUp = new CountDownLatch(1);

    /** Opens when the process is asked to stop, or a server cannot continue. */
    private final CountDownLatch stop = new CountDownLatch(1);

    /**
     * Makes the process wait for {@link #cleanedUp} when it is asked to stop. A command does this
     * before it has anything to clean up: it may be asked while it starts.
     */
    public void begin() {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            stop.countDown();
                                            awaitCleanUp();
                                        }));
    }

    /**
     * Tells the supervisor that the process serves, and waits until the process is asked to stop.
     *
     * @param probe finds out whether the server does its work; empty: there is no way
     * @param reportSeconds the time between two reports; empty: none
     * @param failures each completes if a server cannot continue
     * @throws IOException if a server could not continue
     */
    public void awaitStop(
            Optional<Supervisor.Probe> probe,
            Optional<Integer> reportSeconds,
            Runnable report,
            List<CompletionStage<Throwable>> failures)
            throws IOException, InterruptedException {
        var failure = new AtomicReference<Throwable>();
        for (var each : failures) {
            each.thenAccept(
                    reason -> {
                        failure.compareAndSet(null, reason);
                        stop.countDown();
                    });
        }
        var supervisor = Supervisor.ofThisProcess();
        supervisor.ready(probe);
        if (reportSeconds.isEmpty()) {
            stop.await();
        } else {
            while (!stop.await(reportSeconds.get(), TimeUnit.SECONDS)) {
                report.run();
            }
        }
        supervisor.stopping();
        if (failure.get() != null) {
            endSoon();
            var why = failure.get();
            throw new IOException(
                    "the server failed: "
                            + (why instanceof RdmaException lost ? lost.getMessage() : why),
                    why);
        }
    }

    /** Ends a process that cannot serve any more, even if it cannot clean up. */
    private void endSoon() {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            if (!awaitCleanUp()) {
                                Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
                            }
                        });
    }

    /** Waits for the clean-up; returns false if it takes too long. */
    private boolean awaitCleanUp() {
        try {
            return cleanedUp.await(CLEAN_UP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Lets the process end. */
    public void cleanedUp() {
        cleanedUp.countDown();
    }
}
