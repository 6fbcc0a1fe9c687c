package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Procedure;
import java.util.concurrent.atomic.LongAdder;

/** What a server was asked for over NFS, from its start. Thread-safe. */
public final class NfsStatistics {
    private final LongAdder[] calls = new LongAdder[Procedure.values().length];
    private final LongAdder read = new LongAdder();
    private final LongAdder written = new LongAdder();

    NfsStatistics() {
        for (int i = 0; i < calls.length; i++) {
            calls[i] = new LongAdder();
        }
    }

    void countCall(Procedure procedure) {
        calls[procedure.ordinal()].increment();
    }

    void countRead(long bytes) {
        read.add(bytes);
    }

    void countWritten(long bytes) {
        written.add(bytes);
    }

    /** How often a procedure was called, with arguments that make sense. */
    public long calls(Procedure procedure) {
        return calls[procedure.ordinal()].sum();
    }

    /** Bytes of files that went out. */
    public long bytesRead() {
        return read.sum();
    }

    /** Bytes of files that came in. */
    public long bytesWritten() {
        return written.sum();
    }
}
