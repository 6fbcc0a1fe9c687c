package io.github.rpcrdma4j.nfs.server.metrics;

import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The counters of an NFS server since its start. Thread-safe. */
public final class NfsStatistics {
    private final Durations[] calls = durations(Procedure.values().length);
    private final Durations[] version2 = durations(Nfs2Binding.Procedure.values().length);
    private final Durations[] operations = durations(Opcode.values().length);
    private final LongAdder read = new LongAdder();
    private final LongAdder written = new LongAdder();

    public NfsStatistics() {
        // Each starts at zero.
    }

    private static Durations[] durations(int count) {
        return Stream.generate(Durations::new).limit(count).toArray(Durations[]::new);
    }

    /** Counts a call of version 3 that has ended after so many nanoseconds. */
    public void countCall(Procedure procedure, long nanos) {
        calls[procedure.ordinal()].add(nanos);
    }

    /** Counts a call of version 2 that has ended after so many nanoseconds. */
    public void countCall(Nfs2Binding.Procedure procedure, long nanos) {
        version2[procedure.ordinal()].add(nanos);
    }

    /** Counts an operation of version 4 that has ended after so many nanoseconds. */
    public void countOperation(Opcode operation, long nanos) {
        operations[operation.ordinal()].add(nanos);
    }

    public void countRead(long bytes) {
        read.add(bytes);
    }

    public void countWritten(long bytes) {
        written.add(bytes);
    }

    /** Returns how many calls of a procedure of version 3 with well-formed arguments have ended. */
    public long calls(Procedure procedure) {
        return durations(procedure).count();
    }

    /** Returns how many calls of a procedure of version 2 with well-formed arguments have ended. */
    public long calls(Nfs2Binding.Procedure procedure) {
        return durations(procedure).count();
    }

    /**
     * Returns how many operations of version 4 with well-formed arguments have ended, in COMPOUNDs
     * that came as far as that. {@code ILLEGAL} counts those that no minor version has.
     */
    public long operations(Opcode operation) {
        return durations(operation).count();
    }

    /** Returns the sum of {@link #operations(Opcode)} for all. */
    public long operations() {
        return Arrays.stream(operations).mapToLong(Durations::count).sum();
    }

    /** Returns how long calls of a procedure of version 3 took, from their arguments to results. */
    public Durations durations(Procedure procedure) {
        return calls[procedure.ordinal()];
    }

    /** Returns how long calls of a procedure of version 2 took, from their arguments to results. */
    public Durations durations(Nfs2Binding.Procedure procedure) {
        return version2[procedure.ordinal()];
    }

    /** Returns how long operations of version 4 took, from their arguments to results. */
    public Durations durations(Opcode operation) {
        return operations[operation.ordinal()];
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
