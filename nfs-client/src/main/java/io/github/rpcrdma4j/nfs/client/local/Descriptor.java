package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A descriptor that several threads use. It is closed when the last of them is done, as the kernel
 * gives the number of a closed one to another file. Thread-safe.
 */
final class Descriptor implements AutoCloseable {
    /** In the count of users: it is closed to new ones. */
    private static final int CLOSED = 1 << 30;

    private final int number;
    private final AtomicInteger users = new AtomicInteger();

    Descriptor(int number) {
        this.number = number;
    }

    /**
     * Takes it for a use.
     *
     * @throws IllegalStateException if it is closed
     */
    int take() {
        if (users.getAndUpdate(now -> now < CLOSED ? now + 1 : now) >= CLOSED) {
            throw new IllegalStateException("closed already");
        }
        return number;
    }

    /** Ends a use. */
    void give() {
        if (users.decrementAndGet() == CLOSED) {
            closeNow();
        }
    }

    @Override
    public void close() {
        finish();
    }

    /** Closes it; an error of the kernel if what was written is lost. */
    int finish() {
        return users.getAndUpdate(now -> now | CLOSED) == 0 ? closeNow() : 0;
    }

    private int closeNow() {
        var scratch = Scratch.take();
        try {
            return Kernel.close(scratch, number);
        } finally {
            scratch.give();
        }
    }
}
