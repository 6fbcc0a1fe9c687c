package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.verbs.RdmaException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Handles failures of a thread's repeated work: it logs the failure, waits a moment, and lets the
 * thread go on. If the work fails for some time without a success, it reports that to the server.
 * Only its thread may use it.
 */
final class LastResort {
    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();
    private static final long PATIENCE_NANOS = Duration.ofSeconds(5).toNanos();

    private final Threads threads;
    private final String what;
    private final FailureLog log;
    private final Consumer<Throwable> stuck;
    private boolean failing;
    private long since;

    /**
     * @param what the failing work, in words for the operator
     * @param stuck called when the work has failed for too long to recover; perhaps repeatedly
     */
    LastResort(Threads threads, String what, FailureLog log, Consumer<Throwable> stuck) {
        this.threads = threads;
        this.what = what;
        this.log = log;
        this.stuck = stuck;
    }

    /** Reports a failure of the work, and waits a moment. */
    void failed(Throwable failure) {
        if (failure instanceof RdmaException lost) {
            log.warn(what, lost.getMessage());
        } else {
            log.report(what, failure);
        }
        long now = threads.nanoTime();
        if (!failing) {
            failing = true;
            since = now;
        } else if (now - since >= PATIENCE_NANOS) {
            stuck.accept(failure);
        }
        threads.park(this, PAUSE_NANOS);
    }

    /** Notes that the work succeeded. */
    void succeeded() {
        failing = false;
    }
}
