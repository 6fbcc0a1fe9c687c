package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;

/** A program with a single version, whose procedures are repeatable. */
public abstract class OneVersion implements RpcProgram {
    static final ProcedureDescriptor REPEATABLE = ProcedureDescriptor.ORDINARY.withRepeatable(true);

    private final int program;
    private final int version;

    public OneVersion(int program, int version) {
        this.program = program;
        this.version = version;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(program, version);
    }

    @Override
    public ProcedureDescriptor procedure(int version, int procedure) {
        return procedure == 0 ? ProcedureDescriptor.NULL : REPEATABLE;
    }
}
