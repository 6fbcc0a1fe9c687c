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

/** The program that serves {@link ConfRdma} on one connection. */
public final class ConfRdmaProgram implements RpcProgram {
    /** Repeatable, because a client configures each of its connections. */
    private static final ProcedureDescriptor NEGLIGIBLE =
            ProcedureDescriptor.ORDINARY.withCost(Cost.NEGLIGIBLE).withRepeatable(true);

    private final ConfRdma.Results results;
    private final Consumer<ConfRdma.Arguments> configured;
    private final Set<SecurityFlavor> flavors;

    /**
     * Serves one connection.
     *
     * @param results the values that the server returns
     * @param configured receives the client's values, on the thread that executes the call
     * @param flavors the flavors of the programs on the connection: a caller that they refuse must
     *     not change the connection either (RFC 5666-11-9)
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
