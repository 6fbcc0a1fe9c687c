package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: usually quick calls run on the polling thread, and block no other call if slow. */
class QuickProceduresOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int WHO = 1;
    private static final int BLOCK = 2;
    private static final int PIPELINE = 12;

    /** A program that returns the name of its thread; BLOCK waits before. */
    private static final class Quick extends OneVersion {
        static final int PROGRAM = 0x2000_0052;
        final CountDownLatch begun = new CountDownLatch(PIPELINE);
        final CountDownLatch due = new CountDownLatch(1);

        Quick() {
            super(PROGRAM, 1);
        }

        @Override
        public ProcedureDescriptor procedure(int version, int procedure) {
            return procedure == 0
                    ? ProcedureDescriptor.NULL
                    : ProcedureDescriptor.ORDINARY
                            .withRepeatable(true)
                            .withCost(Cost.USUALLY_QUICK);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            if (request.procedure() == BLOCK) {
                begun.countDown();
                due.await();
            }
            results.string(Thread.currentThread().getName());
            return AcceptStatus.SUCCESS;
        }
    }

    private final RdmaProvider provider = new IwarpProvider();
    private final Quick program = new Quick();
    private final List<RpcRdmaClient> clients = new ArrayList<>();
    private RpcRdmaServer server;

    @BeforeEach
    void serve() throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(program),
                        List.of(),
                        RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void checkNothingLeaks() {
        program.due.countDown();
        for (var client : clients) {
            client.close();
            assertEquals(0, client.leasedMemory());
        }
        server.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    private RpcRdmaClient connect() throws Exception {
        clients.add(
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(),
                        RpcRdmaOptions.DEFAULT));
        // There is one credit until the first reply.
        ask(clients.getLast(), 0);
        return clients.getLast();
    }

    private static RpcCall call(int procedure) {
        return new RpcCall(Quick.PROGRAM, 1, procedure, _ -> {}, 64);
    }

    private static String ask(RpcRdmaClient client, int procedure) throws Exception {
        try (var reply = client.call(call(procedure), TIMEOUT)) {
            return reply.results().string(64);
        }
    }

    private void awaitBegun(int count) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (program.begun.getCount() > PIPELINE - count) {
            assertTrue(System.nanoTime() < deadline, "they never began");
            // Returns at once after the last one has begun.
            program.begun.await(1, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void theFirstRunsOnTheThreadThatPolls() throws Exception {
        assertTrue(ask(connect(), WHO).startsWith("rpcrdma-poll-"));
    }

    /** Goal: another thread relieves a blocked one. Method: more connections than pollers. */
    @Test
    void aBlockedCallDelaysNoOther() throws Exception {
        var first = connect();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            connect();
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var blocked = threads.submit(() -> ask(first, BLOCK));
            awaitBegun(1);
            for (int round = 0; round < 3; round++) {
                for (var client : clients) {
                    ask(client, WHO);
                }
            }
            program.due.countDown();
            assertTrue(blocked.get().startsWith("rpcrdma-poll-"));
        }
    }

    /** Goal: calls that arrived together block in parallel, not one after the other. */
    @Test
    void callsOfOneTurnBlockSideBySide() throws Exception {
        var client = connect();
        var told = new ArrayList<String>();
        try (var pipeline = client.pipeline()) {
            for (int i = 0; i < PIPELINE; i++) {
                pipeline.submit(call(BLOCK), TIMEOUT, names(told));
            }
            pipeline.poll(Duration.ofMillis(1));
            awaitBegun(PIPELINE);
            program.due.countDown();
            while (pipeline.poll(TIMEOUT)) {
                // The pipeline delivers the names.
            }
        }
        assertEquals(PIPELINE, told.size());
    }

    /** Goal: a reply that would leave together with another one does not wait for that one. */
    @Test
    void aReplyDoesNotWaitForACallThatBlocks() throws Exception {
        var client = connect();
        var told = new ArrayList<String>();
        try (var pipeline = client.pipeline()) {
            pipeline.submit(call(WHO), TIMEOUT, names(told));
            pipeline.submit(call(BLOCK), TIMEOUT, names(told));
            assertTrue(pipeline.poll(TIMEOUT));
            assertEquals(1, told.size());
            program.due.countDown();
            while (pipeline.poll(TIMEOUT)) {
                // The pipeline delivers the names.
            }
        }
        assertEquals(2, told.size());
    }

    private static CallOutcome names(List<String> told) {
        return new CallOutcome() {
            @Override
            public void succeeded(XdrReader results) throws XdrException {
                told.add(results.string(64));
            }

            @Override
            public void failed(RpcException reason) {
                throw new AssertionError(reason);
            }
        };
    }

    @Test
    void closingTheServerEndsCallsThatBlock() throws Exception {
        var client = connect();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var blocked = new ArrayList<Future<String>>();
            for (int i = 0; i < 3; i++) {
                blocked.add(threads.submit(() -> ask(client, BLOCK)));
                awaitBegun(i + 1);
            }
            server.close();
            for (var each : blocked) {
                var failure = assertThrows(ExecutionException.class, each::get);
                assertTrue(failure.getCause() instanceof RpcException.ConnectionLost);
            }
        }
    }
}
