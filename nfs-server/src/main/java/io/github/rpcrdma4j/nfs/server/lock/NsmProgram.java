package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.server.served.Callers;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;

/**
 * The NSM program, version 1. It listens to NOTIFY: a host that has restarted loses the locks that
 * it had. It monitors nothing for others.
 *
 * <p>A host is told by the address that NOTIFY comes from. Its name only tells it apart from others
 * at that address, so no host can take locks from another one.
 */
final class NsmProgram implements RpcProgram {
    private static final ProcedureDescriptor REPEATABLE =
            ProcedureDescriptor.ORDINARY.withRepeatable(true);

    private final Callers callers;
    private final RestartClaims claims;
    private final int state;
    private final boolean isConnected;

    /**
     * @param state the number of this start of the server; odd
     * @param isConnected whether calls come over connections, so that their addresses are true
     */
    NsmProgram(Callers callers, RestartClaims claims, int state, boolean isConnected) {
        this.callers = callers;
        this.claims = claims;
        this.state = state;
        this.isConnected = isConnected;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(Nsm.PROGRAM, 1);
    }

    @Override
    public Optional<PeerIdentifier> identifier() {
        return Optional.of(callers.identifier());
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        if (procedure == 0) {
            return ProcedureDescriptor.NULL;
        }
        return NsmCall.Procedure.of(procedure).isEmpty()
                ? ProcedureDescriptor.UNAVAILABLE
                : REPEATABLE;
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return List.of(Nsm.VERSION_1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var procedure = NsmCall.Procedure.of(request.procedure());
        if (procedure.isEmpty()) {
            return AcceptStatus.PROC_UNAVAIL;
        }
        var in = request.arguments();
        switch (procedure.get()) {
            case NULL, SIMU_CRASH -> in.finish();
            case STAT, MON -> {
                NsmCall.decode(procedure.get(), in);
                new NsmCall.Result(false, state).encode(results);
            }
            case UNMON, UNMON_ALL -> {
                NsmCall.decode(procedure.get(), in);
                results.uint32(state);
            }
            case NOTIFY -> {
                var call = (NsmCall.Notify) NsmCall.decode(procedure.get(), in);
                if (!claims.take(request, isConnected, call.host(), call.state())) {
                    return AcceptStatus.SYSTEM_ERR;
                }
            }
        }
        return AcceptStatus.SUCCESS;
    }
}
