package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The program of the worked examples of RFC 8167: every procedure succeeds without results. */
final class CallbackProgram extends OneVersion {
    static final int PROGRAM = 0x4000_0000;

    CallbackProgram() {
        super(PROGRAM, 1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) {
        return AcceptStatus.SUCCESS;
    }
}
