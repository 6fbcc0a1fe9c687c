package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.rpcbind.UniversalAddress;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Where a client of version 4.0 is called back: a port of this host. */
final class CallbackListener implements RpcProgram, AutoCloseable {
    static final int PROGRAM = 0x4000_0000;

    /** The calls of CB_COMPOUND. */
    final BlockingQueue<CallbackCompound> received = new LinkedBlockingQueue<>();

    /** The user of the last CB_COMPOUND. */
    volatile Credential caller;

    /** How many calls of CB_NULL came. */
    final AtomicInteger probes = new AtomicInteger();

    private final TcpRpcServer server;

    private volatile Function<CallbackArguments, CallbackResult> answer =
            operation -> new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK);

    CallbackListener() throws IOException {
        this(InetAddress.getLoopbackAddress());
    }

    CallbackListener(InetAddress at) throws IOException {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(at, 0), List.of(this), TcpRpcOptions.DEFAULT);
    }

    /** Returns its universal address. */
    String address() {
        return UniversalAddress.format(server.address());
    }

    /** Sets how it answers operations. */
    void answer(Function<CallbackArguments, CallbackResult> with) {
        answer = with;
    }

    @Override
    public ProgramId id() {
        return new ProgramId(PROGRAM, 1);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        if (request.procedure() == 0) {
            request.arguments().finish();
            probes.incrementAndGet();
            return AcceptStatus.SUCCESS;
        }
        var call = CallbackCompound.decode(request.arguments());
        caller = request.credential();
        var answers = call.callbacks().stream().map(answer).toList();
        new CallbackCompound.Outcome(answers.getLast().status(), call.tag(), answers)
                .encode(results);
        received.add(call);
        return AcceptStatus.SUCCESS;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
