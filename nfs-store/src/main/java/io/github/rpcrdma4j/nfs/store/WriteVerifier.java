package io.github.rpcrdma4j.nfs.store;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The write verifier of an export, which tells clients that data of UNSTABLE writes may be lost. It
 * changes at each start and after each storage failure (RFC 1813, Section 3.3.7). Each export has
 * its own: clients compare those of a file, and a disk that fails again and again must not make the
 * clients of another one write for ever. Thread-safe.
 *
 * <p>A WRITE returns the number from before it passed its bytes to the file system. A COMMIT
 * returns the number from after it forced them to storage. So a client notices any failure in
 * between.
 */
public final class WriteVerifier {
    private final AtomicLong value;

    /** Makes a verifier that differs from those of earlier starts. */
    public WriteVerifier() {
        value = new AtomicLong(new SecureRandom().nextLong());
    }

    /** Returns the current number. */
    public long now() {
        return value.get();
    }

    /** Changes the number, because uncommitted data may have been lost. */
    public void change() {
        value.incrementAndGet();
    }
}
