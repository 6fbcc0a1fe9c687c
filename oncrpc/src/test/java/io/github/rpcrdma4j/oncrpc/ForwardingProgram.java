package io.github.rpcrdma4j.oncrpc;

import java.util.List;

/** A program of a server that is another one, but for its calls. */
public interface ForwardingProgram extends RpcProgram {
    /** Returns the other one. */
    RpcProgram program();

    @Override
    default ProgramId id() {
        return program().id();
    }

    @Override
    default ProcedureDescriptor procedure(int version, int procedure) {
        return program().procedure(version, procedure);
    }

    @Override
    default List<UpperLayerBinding> bindings() {
        return program().bindings();
    }
}
