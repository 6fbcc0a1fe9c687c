package io.github.rpcrdma4j.nfs.server.metrics;

import io.github.rpcrdma4j.nfs.v3.Procedure;
import java.util.concurrent.atomic.LongAdder;

/** The counters of an NFS server since its start. Thread-safe. */
public final class NfsStatistics {
    private final LongAdder[] calls = new LongAdder[Procedure.values().length];
    private final LongAdder read = new LongAdder();
    private final LongAdder written = new LongAdder();

    public NfsStatistics() {
        for (int i = 0; i < calls.length; i++) {
            calls[i] = new LongAdder();
        }
    }

    public void countCall(Procedure procedure) {
        calls[procedure.ordinal()].increment();
    }

    public void countRead(long bytes) {
        read.add(bytes);
    }

    public void countWritten(long bytes) {
        written.add(bytes);
    }

    /** Returns how many calls of a procedure arrived with well-formed arguments. */
    public long calls(Procedure procedure) {
        return calls[procedure.ordinal()].sum();
    }

    /** Returns the bytes of file data that clients read. */
    public long bytesRead() {
        return read.sum();
    }

    /** Returns the bytes of file data that clients wrote. */
    public long bytesWritten() {
        return written.sum();
    }
}
