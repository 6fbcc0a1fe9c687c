package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
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
 * The NFS version 2 program: checks the flavor of calls and finds the users of callers.
 *
 * @param accepted the flavors that at least one export accepts
 */
public record Nfs2Program(
        Exports exports,
        Nfs2Calls.Procedures procedures,
        Set<SecurityFlavor> accepted,
        Callers callers,
        NfsStatistics statistics)
        implements RpcProgram {
    private static final List<ProcedureDescriptor> DESCRIPTORS =
            Arrays.stream(Procedure.values()).map(Nfs2Program::descriptor).toList();

    @Override
    public ProgramId id() {
        return new ProgramId(Nfs2Binding.PROGRAM, Nfs2Binding.VERSION);
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
        return List.of(Nfs2Binding.BINDING);
    }

    private static ProcedureDescriptor descriptor(Procedure procedure) {
        return switch (procedure) {
            case NULL, ROOT, WRITECACHE -> ProcedureDescriptor.NULL;
            // Mounting clients call these, with any flavor (RFC 2623, Section 2.3).
            case GETATTR, STATFS -> ordinary(procedure, Cost.USUALLY_QUICK).unguarded();
            case LOOKUP, READLINK, READ -> ordinary(procedure, Cost.USUALLY_QUICK);
            case WRITE, SETATTR, CREATE, REMOVE, RENAME -> ordinary(procedure, Cost.UNKNOWN);
            case LINK, SYMLINK, MKDIR, RMDIR, READDIR -> ordinary(procedure, Cost.UNKNOWN);
        };
    }

    private static ProcedureDescriptor ordinary(Procedure procedure, Cost cost) {
        return ProcedureDescriptor.ORDINARY
                .waitingInSystemCalls()
                .withCost(cost)
                .withRepeatable(Nfs2Binding.row(procedure).repeatable());
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
        switch (procedure) {
            // ROOT and WRITECACHE do nothing (RFC 1094, Sections 2.2.4 and 2.2.8).
            case NULL, ROOT, WRITECACHE -> {
                request.arguments().finish();
                statistics.countCall(procedure, System.nanoTime() - begun);
            }
            case GETATTR,
                    SETATTR,
                    LOOKUP,
                    READLINK,
                    READ,
                    WRITE,
                    CREATE,
                    REMOVE,
                    RENAME,
                    LINK,
                    SYMLINK,
                    MKDIR,
                    RMDIR,
                    READDIR,
                    STATFS -> {
                var call = Nfs2Call.decode(procedure, request.arguments());
                try {
                    var client = callers.of(request);
                    new Nfs2Calls(exports, client, procedures)
                            .execute(call, request.pool(), results);
                } finally {
                    statistics.countCall(procedure, System.nanoTime() - begun);
                }
            }
        }
        return AcceptStatus.SUCCESS;
    }
}
