package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file descriptor that several threads use. It is closed when the last use has ended, because the
 * kernel may give a closed number to another file. Thread-safe.
 */
final class Descriptor implements AutoCloseable {
    /** The flag in the count of users that admits no further use. */
    private static final int CLOSED = 1 << 30;

    private final int number;
    private final AtomicInteger users = new AtomicInteger();

    Descriptor(int number) {
        this.number = number;
    }

    /**
     * Begins a use.
     *
     * @return the number of the descriptor
     * @throws IllegalStateException if it is closed
     */
    int take() {
        if (users.getAndUpdate(now -> now < CLOSED ? now + 1 : now) >= CLOSED) {
            throw new IllegalStateException("closed already");
        }
        return number;
    }

    /** Ends a use; the last one after a close closes the descriptor. */
    void give() {
        if (users.decrementAndGet() == CLOSED) {
            closeNow();
        }
    }

    @Override
    public void close() {
        finish();
    }

    /**
     * Closes the descriptor when its last use has ended.
     *
     * @return a negative error number if written data is lost; 0 if a use is still in progress
     */
    int finish() {
        return users.getAndUpdate(now -> now | CLOSED) == 0 ? closeNow() : 0;
    }

    private int closeNow() {
        var scratch = Scratch.acquire();
        try {
            return Kernel.close(scratch, number);
        } finally {
            scratch.release();
        }
    }
}
