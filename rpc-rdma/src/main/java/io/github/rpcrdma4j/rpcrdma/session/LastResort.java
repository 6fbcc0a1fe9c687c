package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What a thread does about a failure of the work that it does again and again: it says so, waits
 * for a moment and goes on. If it fails for a while without a success, the server is told. Owned by
 * the thread.
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
     * @param what the thread cannot do, for the operator
     * @param stuck told when it has failed for so long that it will not recover; perhaps again
     */
    LastResort(Threads threads, String what, FailureLog log, Consumer<Throwable> stuck) {
        this.threads = threads;
        this.what = what;
        this.log = log;
        this.stuck = stuck;
    }

    /** It failed. Waits for a moment. */
    void failed(Throwable failure) {
        log.report(what, failure);
        long now = threads.nanoTime();
        if (!failing) {
            failing = true;
            since = now;
        } else if (now - since >= PATIENCE_NANOS) {
            stuck.accept(failure);
        }
        threads.park(this, PAUSE_NANOS);
    }

    /** It did its work. */
    void succeeded() {
        failing = false;
    }
}
