package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;

/** A program with a single version. */
abstract class OneVersion implements RpcProgram {
    private final int program;
    private final int version;

    OneVersion(int program, int version) {
        this.program = program;
        this.version = version;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(program, version);
    }
}
