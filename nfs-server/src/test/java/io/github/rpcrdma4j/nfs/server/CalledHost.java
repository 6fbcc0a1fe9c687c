package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The programs that a server calls at a host, behind a rpcbind that knows their port. */
final class CalledHost implements AutoCloseable {
    static final String ADDRESS = "127.0.0.1";
    private static final int GETPORT = 3;

    /** The locks that are granted, in their order. */
    final BlockingQueue<NlmCall.Granted> granted = new LinkedBlockingQueue<>();

    /** The results of procedures with {@code _MSG}, in their order. */
    final BlockingQueue<NlmReply> results = new LinkedBlockingQueue<>();

    /** The notices of restarts, in their order. */
    final BlockingQueue<NsmCall.Notify> notices = new LinkedBlockingQueue<>();

    /**
     * The programs that were asked for in vain, because they were not registered, in their order.
     */
    final BlockingQueue<Integer> unanswered = new LinkedBlockingQueue<>();

    private final TcpRpcServer server;

    /** What the host answers to GRANTED. */
    volatile NlmStatus answer = NlmStatus.GRANTED;

    /** What the monitor answers to STAT. */
    volatile int start = 1;

    /** The answers to STAT, in their order. */
    final BlockingQueue<Integer> questions = new LinkedBlockingQueue<>();

    /** Until then it does not answer GRANTED. */
    volatile CountDownLatch mayAnswer = new CountDownLatch(0);

    /** Whether rpcbind knows the port. */
    volatile boolean isRegistered = true;

    CalledHost() throws IOException {
        server =
                TcpRpcServer.listen(
                        new InetSocketAddress(ADDRESS, 0),
                        List.of(new Rpcbind(), new Nlm4(), new Monitor()),
                        TcpRpcOptions.DEFAULT);
    }

    /** Returns the port of its rpcbind. */
    int port() {
        return server.address().getPort();
    }

    static <T> T next(BlockingQueue<T> calls) throws InterruptedException {
        var next = calls.poll(60, TimeUnit.SECONDS);
        assertNotNull(next, "no call came");
        return next;
    }

    private final class Rpcbind implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(RpcbindClient.PROGRAM, 2);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter out) throws XdrException {
            if (request.procedure() != GETPORT) {
                return AcceptStatus.PROC_UNAVAIL;
            }
            int program = request.arguments().uint32();
            request.arguments().fixedOpaque(12);
            request.arguments().finish();
            boolean isKnown = isRegistered;
            out.uint32(isKnown ? port() : 0);
            if (!isKnown) {
                unanswered.add(program);
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private final class Nlm4 implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Nlm.PROGRAM, 4);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter out)
                throws XdrException, InterruptedException {
            var procedure = NlmProcedure.of(4, request.procedure()).orElseThrow();
            if (procedure == NlmProcedure.GRANTED) {
                var call = (NlmCall.Granted) NlmCall.decode(4, procedure, request.arguments());
                // The test changes it when it sees the call.
                var status = answer;
                granted.add(call);
                mayAnswer.await();
                new NlmReply.Plain(call.cookie(), status).encode(4, out);
            } else {
                results.add(NlmReply.decode(4, procedure, request.arguments()));
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private final class Monitor implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Nsm.PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter out) throws XdrException {
            if (request.procedure() == NsmCall.Procedure.STAT.number()) {
                NsmCall.decode(NsmCall.Procedure.STAT, request.arguments());
                new NsmCall.Result(true, start).encode(out);
                questions.add(start);
                return AcceptStatus.SUCCESS;
            }
            var call = NsmCall.decode(NsmCall.Procedure.NOTIFY, request.arguments());
            notices.add((NsmCall.Notify) call);
            return AcceptStatus.SUCCESS;
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
