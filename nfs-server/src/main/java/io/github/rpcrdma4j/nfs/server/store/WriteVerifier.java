package io.github.rpcrdma4j.nfs.server.store;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells clients whether what they wrote UNSTABLE may have been lost: another number after each
 * start, and after each failure of the storage (RFC 1813, Section 3.3.7). All stores of a server
 * share one. Thread-safe.
 *
 * <p>A WRITE is answered with the number from before its bytes were taken, a COMMIT with the number
 * from after they were forced; so a failure in between is seen.
 */
public final class WriteVerifier {
    private final AtomicLong value = new AtomicLong(new SecureRandom().nextLong());

    /** The number now. */
    public long now() {
        return value.get();
    }

    /** What was written and not committed may have been lost. */
    public void change() {
        value.incrementAndGet();
    }
}
