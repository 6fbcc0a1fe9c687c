package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A server that calls its client back on the connection of the client (RFC 8167). */
public final class CallBack {
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int SUBSCRIBE = 1;
    private static final int NOTICE = 1;
    private static final int TEXT_MAX = 100;
    private static final int PROGRAM = 0x2000_0101;
    private static final int CALL_BACK_PROGRAM = 0x4000_0101;

    private CallBack() {}

    /** The server's program: it sends a notice to each client that subscribes. */
    private static final class Notices implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(PROGRAM, 1);
        }

        /** Repeatable, because a client that reconnects subscribes with its new connection. */
        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return ProcedureDescriptor.ORDINARY.withRepeatable(true);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            if (request.procedure() != SUBSCRIBE || request.reverse().isEmpty()) {
                return AcceptStatus.PROC_UNAVAIL;
            }
            // The program may keep this client for as long as the connection lasts.
            var client = request.reverse().get().client(new Credential.None());
            var notice = new RpcCall(CALL_BACK_PROGRAM, 1, NOTICE, out -> out.string("welcome"), 0);
            try {
                client.call(notice, DEADLINE).close();
                return AcceptStatus.SUCCESS;
            } catch (RpcException unreachable) {
                return AcceptStatus.SYSTEM_ERR;
            }
        }
    }

    /** The client's program: it takes notices. */
    private record Notified(BlockingQueue<String> notices) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(CALL_BACK_PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            var text = request.arguments().string(TEXT_MAX);
            request.arguments().finish();
            notices.add(text);
            return AcceptStatus.SUCCESS;
        }
    }

    /** Subscribes, and prints the notice that comes back. */
    public static void main(String[] args) throws Exception {
        var notices = new LinkedBlockingQueue<String>();
        try (var server =
                        RpcRdmaServer.builder()
                                .address(new InetSocketAddress("localhost", 0))
                                .program(new Notices())
                                .start();
                var client =
                        RpcRdmaClient.builder()
                                .callBackProgram(new Notified(notices))
                                .connect(server.address())) {
            client.call(new RpcCall(PROGRAM, 1, SUBSCRIBE, _ -> {}, 0), DEADLINE).close();
            System.out.println("notice: " + notices.take());
        }
    }
}
