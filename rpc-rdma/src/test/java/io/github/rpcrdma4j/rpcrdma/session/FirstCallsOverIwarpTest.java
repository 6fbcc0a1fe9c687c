package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: on a new connection, after a NULL call, the calls do not wait for the first of them.
 * Method: calls that end only after all of them have begun.
 */
@Timeout(30)
class FirstCallsOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int PROGRAM = 0x2000_0054;
    private static final int CALLS = 6;

    private final Patient program = new Patient();
    private final RdmaProvider provider = new IwarpProvider();
    private RpcRdmaServer server;
    private RpcRdmaClient newest;

    /** A program whose calls wait for each other; or, on request, for the end of the test. */
    private static final class Patient extends OneVersion {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch over = new CountDownLatch(1);
        final CountDownLatch together = new CountDownLatch(CALLS);
        volatile boolean waitsForTheEnd;

        Patient() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == 0) {
                return AcceptStatus.SUCCESS;
            }
            if (waitsForTheEnd) {
                began.countDown();
                over.await();
            } else {
                together.countDown();
                together.await();
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private static final class Outcomes implements CallOutcome {
        int succeeded;

        @Override
        public void succeeded(XdrReader results) {
            succeeded++;
        }

        @Override
        public void failed(RpcException reason) {
            throw new AssertionError(reason);
        }
    }

    @BeforeEach
    void listen() throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(program),
                        List.of(),
                        RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        program.over.countDown();
        for (int i = 0; i < CALLS; i++) {
            program.together.countDown();
        }
        server.close();
    }

    private RpcRdmaClient connect() throws RpcException, InterruptedException {
        newest =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(),
                        RpcRdmaOptions.DEFAULT);
        return newest;
    }

    private static Outcomes start(CallPipeline pipeline) throws RpcException {
        var outcomes = new Outcomes();
        for (int i = 0; i < CALLS; i++) {
            pipeline.submit(new RpcCall(PROGRAM, 1, 1, _ -> {}, 0), TIMEOUT, outcomes);
        }
        return outcomes;
    }

    private static void settle(CallPipeline pipeline) throws InterruptedException {
        while (pipeline.poll(TIMEOUT)) {
            // The pipeline delivers outcomes.
        }
    }

    @Test
    void aNullCallFirstReleasesAllOtherCalls() throws Exception {
        try (var client = connect();
                var pipeline = client.pipeline()) {
            assertTrue(client.takesOneCallAtFirst());
            client.ping(PROGRAM, 1, TIMEOUT);
            var outcomes = start(pipeline);
            settle(pipeline);
            assertEquals(CALLS, outcomes.succeeded);
        }
    }

    @Test
    void aReconnectingClientMakesItByItself() throws Exception {
        program.waitsForTheEnd = true;
        try (var client = ReconnectingRpcClient.connect(this::connect, Duration.ZERO);
                var pipeline = client.pipeline()) {
            var first = newest;
            var outcomes = start(pipeline);
            assertFalse(pipeline.poll(Duration.ZERO));
            program.began.await();
            program.waitsForTheEnd = false;
            first.close();
            settle(pipeline);
            assertEquals(CALLS, outcomes.succeeded);
        }
    }
}
