package io.github.rpcrdma4j.nfs.server.v3;

import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The NFS version 3 program: checks the flavor of calls and finds the users of callers.
 *
 * @param accepted the flavors that at least one export accepts
 */
public record Nfs3Program(
        Exports exports,
        Nfs3Calls.Procedures procedures,
        Set<SecurityFlavor> accepted,
        Callers callers,
        NfsStatistics statistics)
        implements RpcProgram {
    private static final List<ProcedureDescriptor> DESCRIPTORS =
            Arrays.stream(Procedure.values()).map(Nfs3Program::descriptor).toList();

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs3.PROGRAM, Nfs3.VERSION);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return accepted;
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return Procedure.exists(procedure)
                ? DESCRIPTORS.get(procedure)
                : ProcedureDescriptor.UNAVAILABLE;
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(Nfs3Binding.BINDING);
    }

    private static ProcedureDescriptor descriptor(Procedure procedure) {
        if (procedure == Procedure.NULL) {
            return ProcedureDescriptor.NULL;
        }
        var descriptor =
                ProcedureDescriptor.ORDINARY
                        .waitingInSystemCalls()
                        .withCost(isUsuallyQuick(procedure) ? Cost.USUALLY_QUICK : Cost.UNKNOWN)
                        .withRepeatable(Nfs3Binding.row(procedure).repeatable());
        return isForMounting(procedure) ? descriptor.unguarded() : descriptor;
    }

    /**
     * Returns whether mounting clients call this procedure, for which they may use any flavor (RFC
     * 2623, Section 2.3).
     */
    private static boolean isForMounting(Procedure procedure) {
        return procedure == Procedure.GETATTR || procedure == Procedure.FSINFO;
    }

    /**
     * Returns whether calls of a procedure usually take only a few system calls. Reads are quick
     * because Linux usually has the data in its caches; a WRITE need not reach storage.
     */
    private static boolean isUsuallyQuick(Procedure procedure) {
        return switch (procedure) {
            case NULL, GETATTR, LOOKUP, ACCESS, READLINK, READ, WRITE -> true;
            case FSSTAT, FSINFO, PATHCONF -> true;
            case SETATTR, CREATE, MKDIR, SYMLINK, MKNOD -> false;
            case REMOVE, RMDIR, RENAME, LINK -> false;
            case READDIR, READDIRPLUS, COMMIT -> false;
        };
    }

    @Override
    public String carriedOutFor(RpcRequest request) {
        return callers.nameOf(request);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        if (!Procedure.exists(request.procedure())) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var procedure = Procedure.of(request.procedure());
        long begun = System.nanoTime();
        if (procedure == Procedure.NULL) {
            request.arguments().finish();
            statistics.countCall(procedure, System.nanoTime() - begun);
            return AcceptStatus.SUCCESS;
        }
        var call = Nfs3CallDecoder.decode(procedure, request.arguments());
        try {
            var client = callers.of(request);
            new Nfs3Calls(exports, client, procedures).execute(call, request.pool(), results);
        } finally {
            statistics.countCall(procedure, System.nanoTime() - begun);
        }
        return AcceptStatus.SUCCESS;
    }
}
