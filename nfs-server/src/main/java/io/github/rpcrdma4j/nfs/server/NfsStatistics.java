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

    void countRead(long octets) {
        read.add(octets);
    }

    void countWritten(long octets) {
        written.add(octets);
    }

    /** How often a procedure was called, with arguments that make sense. */
    public long calls(Procedure procedure) {
        return calls[procedure.ordinal()].sum();
    }

    /** Octets of files that went out. */
    public long octetsRead() {
        return read.sum();
    }

    /** Octets of files that came in. */
    public long octetsWritten() {
        return written.sum();
    }
}
