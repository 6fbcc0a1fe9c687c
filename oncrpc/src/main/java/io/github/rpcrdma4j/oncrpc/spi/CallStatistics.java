package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * The counters of a dispatcher since its start. To count a call costs two increments, and no lock.
 * Thread-safe.
 */
public final class CallStatistics {
    /** Procedures with a higher number have no counter of their own. */
    private static final int PROCEDURES_MAX = 32;

    private final List<ProgramId> programs;
    private final List<LongAdder[]> called;
    private final LongAdder others = new LongAdder();
    private final LongAdder[] ends = adders(End.values().length);

    /** How a call has ended. */
    public enum End {
        /** The caller has got results, or kept ones once more. */
        SUCCESS,
        /** The program is not served. */
        PROG_UNAVAIL,
        /** The program is not served in this version. */
        PROG_MISMATCH,
        /** The program has no such procedure. */
        PROC_UNAVAIL,
        /** The arguments were malformed. */
        GARBAGE_ARGS,
        /** The program has failed. */
        SYSTEM_ERR,
        /** The credential or the version of RPC was refused. */
        DENIED,
        /** The call gets no reply here: it is a repetition, or an authenticator has dropped it. */
        DROPPED;

        static End of(AcceptStatus status) {
            return switch (status) {
                case SUCCESS -> SUCCESS;
                case PROG_UNAVAIL -> PROG_UNAVAIL;
                case PROG_MISMATCH -> PROG_MISMATCH;
                case PROC_UNAVAIL -> PROC_UNAVAIL;
                case GARBAGE_ARGS -> GARBAGE_ARGS;
                case SYSTEM_ERR -> SYSTEM_ERR;
            };
        }
    }

    /**
     * The calls of a procedure.
     *
     * @param count how many have arrived, with those that were refused
     */
    public record Calls(ProgramId program, int procedure, long count) {}

    /**
     * @param programs the served programs, in the order of their indices
     */
    CallStatistics(List<ProgramId> programs) {
        this.programs = programs;
        this.called = programs.stream().map(_ -> adders(PROCEDURES_MAX)).toList();
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }

    /**
     * Counts a call that has arrived.
     *
     * @param program the index of its program; another number if there is none with counters
     * @param procedure any number
     */
    void countCall(int program, int procedure) {
        boolean hasCounter =
                program >= 0
                        && program < called.size()
                        && Integer.compareUnsigned(procedure, PROCEDURES_MAX) < 0;
        (hasCounter ? called.get(program)[procedure] : others).increment();
    }

    void countEnd(End end) {
        ends[end.ordinal()].increment();
    }

    /** Returns the calls of each procedure that was called, by program. */
    public List<Calls> calls() {
        var all = new ArrayList<Calls>();
        for (int i = 0; i < called.size(); i++) {
            for (int procedure = 0; procedure < PROCEDURES_MAX; procedure++) {
                long count = called.get(i)[procedure].sum();
                if (count > 0) {
                    all.add(new Calls(programs.get(i), procedure, count));
                }
            }
        }
        return all;
    }

    /** Returns how many other calls have arrived: nothing serves them. */
    public long otherCalls() {
        return others.sum();
    }

    /**
     * Returns how many calls have ended in a way. A call that the stop of the server has
     * interrupted counts nowhere.
     */
    public long ended(End end) {
        return ends[end.ordinal()].sum();
    }
}
