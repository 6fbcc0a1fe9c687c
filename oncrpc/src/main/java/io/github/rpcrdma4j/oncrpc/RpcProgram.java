package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A program that a server serves. Thread-safe: calls of one client and of many run at the same
 * time.
 */
public interface RpcProgram {
    /** The program number, and the versions that are served. */
    ProgramId id();

    /**
     * What the server knows of a procedure before it carries out a call. Called for each call, so
     * it returns what was made before.
     *
     * @param version one of the versions that are served
     * @param procedure any number
     */
    default ProcedureDescriptor procedure(int version, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : ProcedureDescriptor.ORDINARY;
    }

    /** Which data items may be placed directly: a binding for each version that has some. */
    default List<UpperLayerBinding> bindings() {
        return List.of();
    }

    /**
     * The flavors that are good enough for what the program guards. A call of a guarded procedure
     * with another flavor gets AUTH_TOOWEAK (RFC 5531, Section 9).
     */
    default Set<SecurityFlavor> flavors() {
        return EnumSet.allOf(SecurityFlavor.class);
    }

    /**
     * Carries out one call; it may block.
     *
     * <p>The arguments are views that live until this method returns. An implementation decodes all
     * of them, calls {@link io.github.rpcrdma4j.xdr.XdrReader#finish}, and only then acts. Bulk
     * results are not copied into {@code results}: pass where they lie, and what to run when the
     * transport is done with them, to {@link XdrWriter#bulk(java.lang.foreign.MemorySegment,
     * Runnable)}.
     *
     * @param results where the results go; what was written is discarded unless SUCCESS is returned
     * @return SUCCESS, PROC_UNAVAIL or SYSTEM_ERR; any other status is passed on as it is
     * @throws XdrException if the arguments cannot be decoded: the caller gets GARBAGE_ARGS
     * @throws InterruptedException if the server is shutting down: the caller gets no answer
     */
    AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException;
}
