package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program of a server that refuses one of its procedures, as other servers do.
 *
 * @param left how often it does so
 */
public record RefusedCalls(
        RpcProgram program, int procedure, AcceptStatus status, AtomicInteger left)
        implements ForwardingProgram {
    /** Refuses all calls. */
    public RefusedCalls(RpcProgram program, int procedure, AcceptStatus status) {
        this(program, procedure, status, new AtomicInteger(Integer.MAX_VALUE));
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results)
            throws XdrException, InterruptedException {
        return request.procedure() == procedure && left.getAndDecrement() > 0
                ? status
                : program.call(request, results);
    }
}
