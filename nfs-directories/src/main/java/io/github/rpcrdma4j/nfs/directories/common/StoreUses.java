package io.github.rpcrdma4j.nfs.directories.common;

import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the nodes, locks and leases of a store, so that the store keeps its descriptors until the
 * last of them is closed. Thread-safe.
 *
 * <pre>
 *   open --close--> closing --last use ends--> closed
 * </pre>
 */
public final class StoreUses {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(StoreUses.class.getName()));

    private final Runnable closing;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** One for the store itself, until it is told to close, and one for each use. */
    private final AtomicInteger uses = new AtomicInteger(1);

    private final AtomicBoolean isClosing = new AtomicBoolean();

    /**
     * Opens what is a use of the store until it is closed.
     *
     * @param <T> what is opened
     */
    public interface Opening<T> {
        T open() throws StoreException;
    }

    /**
     * @param closing releases all that the store has; runs once, and may wait for storage
     */
    public StoreUses(Runnable closing) {
        this.closing = closing;
    }

    /**
     * Begins a use, which ends at once if the opening fails.
     *
     * @throws StoreException STALE if the store was told to close, or the failure of the opening
     */
    public <T> T begin(Opening<T> opening) throws StoreException {
        begin();
        boolean isOpen = false;
        try {
            var opened = opening.open();
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                end();
            }
        }
    }

    private void begin() throws StoreException {
        int count = uses.get();
        while (count > 0 && !uses.compareAndSet(count, count + 1)) {
            count = uses.get();
        }
        if (count > 0 && !isClosing.get()) {
            return;
        }
        if (count > 0) {
            end();
        }
        throw new StoreException(Failure.STALE, "the export is not served any more");
    }

    /** Ends a use. Does not wait: if it was the last one, another thread closes the store. */
    public void end() {
        if (uses.decrementAndGet() == 0) {
            Thread.ofPlatform()
                    .name("nfs-closing")
                    .daemon()
                    .start(FAILURES.guarded("an export was not closed", this::release));
        }
    }

    /** Lets no more uses begin. If there is none, closes the store at once, and waits for that. */
    public void close() {
        if (!isClosing.getAndSet(true) && uses.decrementAndGet() == 0) {
            release();
        }
    }

    private void release() {
        try {
            closing.run();
            closed.complete(null);
        } catch (RuntimeException | Error failure) {
            closed.completeExceptionally(failure);
            throw failure;
        }
    }

    /** Completes when the store has released all that it had. */
    public CompletionStage<Void> closed() {
        return closed;
    }
}
