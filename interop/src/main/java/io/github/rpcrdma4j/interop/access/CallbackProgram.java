package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The program of a client that a server calls to recall delegations. It says yes to all calls; the
 * steps of a case return what is recalled. Thread-safe.
 */
final class CallbackProgram implements RpcProgram {
    static final int NUMBER = 0x4000_0000;

    @Override
    public ProgramId id() {
        return new ProgramId(NUMBER, 1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var call = CallbackCompound.decode(request.arguments());
        var answers = call.callbacks().stream().map(CallbackProgram::answer).toList();
        new CallbackCompound.Outcome(Nfs4Status.OK, call.tag(), answers).encode(results);
        return AcceptStatus.SUCCESS;
    }

    private static CallbackResult answer(CallbackArguments callback) {
        return callback instanceof CallbackArguments.Sequence sequence
                ? new CallbackResult.Sequence(
                        sequence.session(),
                        sequence.sequence(),
                        sequence.slot(),
                        sequence.highestSlot(),
                        sequence.highestSlot())
                : new CallbackResult.Plain(callback.opcode().number(), Nfs4Status.OK);
    }
}
