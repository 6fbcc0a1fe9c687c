package io.github.rpcrdma4j.nfs.server.served;

import java.util.concurrent.atomic.LongAdder;

/** How much clients have read and written of an export since it is served. Thread-safe. */
public final class ExportBytes {
    private final LongAdder read = new LongAdder();
    private final LongAdder written = new LongAdder();

    ExportBytes() {
        // Both start at zero.
    }

    public void countRead(long bytes) {
        read.add(bytes);
    }

    public void countWritten(long bytes) {
        written.add(bytes);
    }

    public long read() {
        return read.sum();
    }

    public long written() {
        return written.sum();
    }
}
