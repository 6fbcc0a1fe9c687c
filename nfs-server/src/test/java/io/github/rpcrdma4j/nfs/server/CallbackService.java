package io.github.rpcrdma4j.nfs.server;

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
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The program of a client with a session, which the server calls over the client's connection. It
 * keeps the calls, and answers them.
 */
final class CallbackService implements RpcProgram {
    private static final int PROGRAM = 0x4000_0000;

    /** The operations behind CB_SEQUENCE, in the order in which they came. */
    final BlockingQueue<CallbackArguments> received = new LinkedBlockingQueue<>();

    private volatile Function<CallbackArguments, CallbackResult> answer =
            operation -> new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);

    /** Sets how it answers the operations behind CB_SEQUENCE. */
    void answer(Function<CallbackArguments, CallbackResult> with) {
        answer = with;
    }

    /** Sets how it answers, and how long that takes. */
    void answer(Duration time, Function<CallbackArguments, CallbackResult> with) {
        var later = CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS);
        answer(
                operation ->
                        CompletableFuture.supplyAsync(() -> with.apply(operation), later).join());
    }

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, 1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var call = CallbackCompound.decode(request.arguments());
        call.callbacks().stream().skip(1).forEach(received::add);
        CallbackPeer.outcome(call, answer).encode(results);
        return AcceptStatus.SUCCESS;
    }
}
