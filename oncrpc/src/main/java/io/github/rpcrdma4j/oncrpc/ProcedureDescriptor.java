package io.github.rpcrdma4j.oncrpc;

/**
 * The properties of a procedure that a server needs before it carries out a call. A program creates
 * its descriptors once, usually by changing properties of {@link #ORDINARY}.
 *
 * @param cost the time for which a call keeps a thread busy
 * @param waitsInSystemCalls whether calls wait in system calls, for example for a disk. A virtual
 *     thread that does so holds up others, so a server carries out such calls on platform threads,
 *     as long as some are free.
 * @param repeatable whether a call may be carried out twice, with the effect of once. If not, the
 *     server keeps the results for two minutes, as far as there is room, and sends them again when
 *     a client repeats the call. A repeatable call costs the server less: it computes no checksum
 *     of the arguments and copies no results. So calls that only read should be repeatable. A call
 *     must be repeatable if its effect belongs to its connection, for example because the program
 *     keeps {@link RpcRequest#reverse}: a repetition may arrive on another connection. The server
 *     keeps no results of more than 64 KiB, bulk items included. It carries out such a call again
 *     when it is repeated after its end; a repetition that arrives before gets no reply. So a call
 *     that is not repeatable should have short results.
 * @param guarded whether a call needs one of the flavors in {@link RpcProgram#flavors}; otherwise
 *     the server accepts any flavor
 */
public record ProcedureDescriptor(
        Cost cost, boolean waitsInSystemCalls, boolean repeatable, boolean guarded) {
    /** The time for which a call keeps a thread busy. */
    public enum Cost {
        /**
         * So short, and certainly without blocking, that the thread that reads connections may run
         * the call.
         */
        NEGLIGIBLE,
        /**
         * A few microseconds at most, unless the call has to wait, for example for a disk. It never
         * waits for another call. The thread that reads connections may run such calls while recent
         * ones were quick.
         */
        USUALLY_QUICK,
        /** Any time. Each call runs on a thread of its own. */
        UNKNOWN
    }

    /**
     * A procedure whose calls may take any time, are not repeatable, and need a flavor that the
     * program accepts.
     */
    public static final ProcedureDescriptor ORDINARY =
            new ProcedureDescriptor(Cost.UNKNOWN, false, false, true);

    /** Procedure 0, which does nothing and accepts any flavor (RFC 5531, Section 12.1). */
    public static final ProcedureDescriptor NULL =
            new ProcedureDescriptor(Cost.NEGLIGIBLE, false, true, false);

    /**
     * A procedure that the program does not have: any flavor may call it, to learn that it is
     * unavailable.
     */
    public static final ProcedureDescriptor UNAVAILABLE = ORDINARY.unguarded().withRepeatable(true);

    /** Returns this descriptor with another cost. */
    public ProcedureDescriptor withCost(Cost changed) {
        return new ProcedureDescriptor(changed, waitsInSystemCalls, repeatable, guarded);
    }

    /** Returns this descriptor for calls that wait in system calls. */
    public ProcedureDescriptor waitingInSystemCalls() {
        return new ProcedureDescriptor(cost, true, repeatable, guarded);
    }

    /** Returns this descriptor, repeatable or not. */
    public ProcedureDescriptor withRepeatable(boolean changed) {
        return new ProcedureDescriptor(cost, waitsInSystemCalls, changed, guarded);
    }

    /** Returns this descriptor for calls of any flavor. */
    public ProcedureDescriptor unguarded() {
        return new ProcedureDescriptor(cost, waitsInSystemCalls, repeatable, false);
    }
}
