package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
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
