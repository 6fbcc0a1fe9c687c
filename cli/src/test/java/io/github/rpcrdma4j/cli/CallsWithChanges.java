package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.function.IntConsumer;

/**
 * A program of a server on which something else happens before a call is carried out, and between
 * that and its reply.
 *
 * @param before receives the procedure of a call of NFS
 * @param after receives it too
 */
public record CallsWithChanges(RpcProgram program, IntConsumer before, IntConsumer after)
        implements ForwardingProgram {
    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        boolean isNfs = id().number() == Nfs3.PROGRAM;
        if (isNfs) {
            before.accept(request.procedure());
        }
        var status = program.call(request, results);
        if (isNfs) {
            after.accept(request.procedure());
        }
        return status;
    }
}
