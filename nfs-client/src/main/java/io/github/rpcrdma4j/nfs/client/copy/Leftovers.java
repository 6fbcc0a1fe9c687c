package io.github.rpcrdma4j.nfs.client.copy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the incomplete files that failed copies left behind. Thread-safe. */
public final class Leftovers {
    private final AtomicInteger onServer = new AtomicInteger();
    private final AtomicInteger here = new AtomicInteger();
    private final AtomicInteger resumable = new AtomicInteger();
    private final AtomicLong resumableBytes = new AtomicLong();

    Leftovers() {}

    void countOnServer() {
        onServer.incrementAndGet();
    }

    void countHere() {
        here.incrementAndGet();
    }

    void countResumable(long bytes) {
        resumable.incrementAndGet();
        resumableBytes.addAndGet(bytes);
    }

    /**
     * Returns how many files stayed on the server because it could not be reached. A later copy to
     * their directory removes them.
     */
    public int onServer() {
        return onServer.get();
    }

    /** Returns how many files could not be removed from this machine. */
    public int here() {
        return here.get();
    }

    /** Returns how many files were kept because a later copier can go on with them. */
    public int resumable() {
        return resumable.get();
    }

    /** Returns how many bytes of these files a later copier need not copy. */
    public long resumableBytes() {
        return resumableBytes.get();
    }
}
