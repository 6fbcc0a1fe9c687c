package io.github.rpcrdma4j.oncrpc;

/**
 * What a server knows of a procedure before it carries out a call: data that a program makes once.
 * Start from {@link #ORDINARY} and change what matters.
 *
 * @param cost how long a call keeps a thread busy
 * @param waitsInSystemCalls whether calls wait in system calls, for a disk say. A virtual thread
 *     that does so holds up others, so a server carries such calls out on platform threads, as long
 *     as some are free.
 * @param repeatable whether carrying a call out twice is like carrying it out once. If not, the
 *     server keeps the results for some minutes, and answers with them when a call is sent again.
 * @param guarded whether a call needs one of the flavors in {@link RpcProgram#flavors}; otherwise
 *     any flavor will do
 */
public record ProcedureDescriptor(
        Cost cost, boolean waitsInSystemCalls, boolean repeatable, boolean guarded) {
    /** How long a call keeps a thread busy. */
    public enum Cost {
        /**
         * So little, and so surely without blocking, that the thread which reads connections may
         * run it.
         */
        NEGLIGIBLE,
        /**
         * Some microseconds at the most, unless the call has to wait, for a disk say; it never
         * waits for another call. The thread that reads connections may run it as long as its calls
         * are quick in fact.
         */
        USUALLY_QUICK,
        /** Any time: a call has a thread of its own. */
        UNKNOWN
    }

    /** A call may take any time, may be repeated, and needs a flavor that the program takes. */
    public static final ProcedureDescriptor ORDINARY =
            new ProcedureDescriptor(Cost.UNKNOWN, false, true, true);

    /** Procedure 0 does nothing, and guards nothing (RFC 5531, Section 12.1). */
    public static final ProcedureDescriptor NULL =
            new ProcedureDescriptor(Cost.NEGLIGIBLE, false, true, false);

    /** This procedure with another cost. */
    public ProcedureDescriptor withCost(Cost changed) {
        return new ProcedureDescriptor(changed, waitsInSystemCalls, repeatable, guarded);
    }

    /** This procedure, whose calls wait in system calls. */
    public ProcedureDescriptor waitingInSystemCalls() {
        return new ProcedureDescriptor(cost, true, repeatable, guarded);
    }

    /** This procedure, repeatable or not. */
    public ProcedureDescriptor withRepeatable(boolean changed) {
        return new ProcedureDescriptor(cost, waitsInSystemCalls, changed, guarded);
    }

    /** This procedure, which takes any flavor. */
    public ProcedureDescriptor unguarded() {
        return new ProcedureDescriptor(cost, waitsInSystemCalls, repeatable, false);
    }
}
