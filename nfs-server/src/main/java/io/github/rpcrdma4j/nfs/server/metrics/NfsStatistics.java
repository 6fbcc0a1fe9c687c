package io.github.rpcrdma4j.nfs.server.metrics;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counters of an NFS server since its start. Thread-safe. */
public final class NfsStatistics {
    private final LongAdder[] calls = adders(Procedure.values().length);
    private final LongAdder[] version2 = adders(Nfs2Binding.Procedure.values().length);
    private final LongAdder[] operations = adders(Opcode.values().length);
    private final LongAdder read = new LongAdder();
    private final LongAdder written = new LongAdder();

    public NfsStatistics() {
        // Each starts at zero.
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }

    public void countCall(Procedure procedure) {
        calls[procedure.ordinal()].increment();
    }

    public void countCall(Nfs2Binding.Procedure procedure) {
        version2[procedure.ordinal()].increment();
    }

    public void countOperation(Opcode operation) {
        operations[operation.ordinal()].increment();
    }

    public void countRead(long bytes) {
        read.add(bytes);
    }

    public void countWritten(long bytes) {
        written.add(bytes);
    }

    /** Returns how many calls of a procedure of version 3 arrived with well-formed arguments. */
    public long calls(Procedure procedure) {
        return calls[procedure.ordinal()].sum();
    }

    /** Returns how many calls of a procedure of version 2 arrived with well-formed arguments. */
    public long calls(Nfs2Binding.Procedure procedure) {
        return version2[procedure.ordinal()].sum();
    }

    /**
     * Returns how many operations of version 4 arrived with well-formed arguments, in COMPOUNDs
     * that came as far as that. {@code ILLEGAL} counts those that no minor version has.
     */
    public long operations(Opcode operation) {
        return operations[operation.ordinal()].sum();
    }

    /** Returns the sum of {@link #operations(Opcode)} for all. */
    public long operations() {
        return Arrays.stream(operations).mapToLong(LongAdder::sum).sum();
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
