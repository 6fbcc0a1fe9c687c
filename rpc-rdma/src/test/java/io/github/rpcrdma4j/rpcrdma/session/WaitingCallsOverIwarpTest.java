package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: calls that wait in system calls get platform threads, or virtual ones beyond a limit. */
class WaitingCallsOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int WHO = 1;
    private static final int BLOCK = 2;

    /** The most platform threads: as many may be held up by calls that hang, and replaced. */
    private static final int PLATFORM_THREADS = 2 * CallThreads.PLATFORM_MAX;

    private static final RpcRdmaOptions OPTIONS =
            RpcRdmaOptions.DEFAULT.toBuilder().credits(256).build();

    /** A program that returns whether its thread is virtual; BLOCK waits before. */
    private static final class Waiting extends OneVersion {
        static final int PROGRAM = 0x2000_0053;

        /** For each call that blocks, whether its thread is virtual. */
        final LinkedBlockingQueue<Boolean> begun = new LinkedBlockingQueue<>();

        final CountDownLatch due = new CountDownLatch(1);

        Waiting() {
            super(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == 0
                    ? ProcedureDescriptor.NULL
                    : ProcedureDescriptor.ORDINARY.withRepeatable(true).waitingInSystemCalls();
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            if (request.procedure() == BLOCK) {
                begun.add(Thread.currentThread().isVirtual());
                due.await();
            }
            results.bool(Thread.currentThread().isVirtual());
            return AcceptStatus.SUCCESS;
        }
    }

    private static boolean isOnVirtual(RpcRdmaClient client, int procedure) throws Exception {
        var call = new RpcCall(Waiting.PROGRAM, 1, procedure, _ -> {}, 64);
        try (var reply = client.call(call, TIMEOUT)) {
            return reply.results().bool();
        }
    }

    @Test
    void haveVirtualThreadsOnceThePlatformThreadsAreTaken() throws Exception {
        var program = new Waiting();
        var provider = new IwarpProvider();
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(program),
                                List.of(),
                                OPTIONS);
                var client =
                        Connections.connect(
                                provider,
                                server.address(),
                                new Credential.None(),
                                List.of(),
                                OPTIONS);
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            assertEquals(false, isOnVirtual(client, WHO));
            var blocked = new ArrayList<Future<Boolean>>();
            boolean isVirtual = false;
            while (!isVirtual) {
                blocked.add(callers.submit(() -> isOnVirtual(client, BLOCK)));
                isVirtual = program.begun.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            }
            assertTrue(blocked.size() > CallThreads.PLATFORM_MAX);
            assertTrue(blocked.size() <= PLATFORM_THREADS + 1);
            assertFalse(blocked.getFirst().isDone());
            program.due.countDown();
            assertEquals(true, blocked.removeLast().get());
            for (var each : blocked) {
                assertEquals(false, each.get());
            }
        } finally {
            program.due.countDown();
        }
    }
}
