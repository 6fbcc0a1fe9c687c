package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Set;
import java.util.function.Consumer;

/** {@link ConfRdma} as it is served on one connection. */
public final class ConfRdmaProgram implements RpcProgram {
    private static final ProcedureDescriptor NEGLIGIBLE =
            ProcedureDescriptor.ORDINARY.withCost(Cost.NEGLIGIBLE);
    private final ConfRdma.Results results;
    private final Consumer<ConfRdma.Arguments> configured;
    private final Set<SecurityFlavor> flavors;

    /**
     * Serves one connection.
     *
     * @param results what the server says
     * @param configured told what the client said, on the thread that carries out the call
     * @param flavors those that the programs behind it take: callers whom they refuse do not change
     *     the connection either (RFC 5666-11-9)
     */
    public ConfRdmaProgram(
            ConfRdma.Results results,
            Consumer<ConfRdma.Arguments> configured,
            Set<SecurityFlavor> flavors) {
        this.results = results;
        this.configured = configured;
        this.flavors = flavors;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(ConfRdma.PROGRAM, ConfRdma.VERSION);
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : NEGLIGIBLE;
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return flavors;
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter out) throws XdrException {
        var in = request.arguments();
        switch (request.procedure()) {
            case 0 -> in.finish();
            case ConfRdma.PROCEDURE -> {
                var arguments = ConfRdma.Arguments.decode(in);
                in.finish();
                configured.accept(arguments);
                results.encode(out);
            }
            default -> {
                return AcceptStatus.PROC_UNAVAIL;
            }
        }
        return AcceptStatus.SUCCESS;
    }
}
