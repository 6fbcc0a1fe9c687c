package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.CallOutcome;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: each call of a pipeline has one outcome, between real sockets. */
class RdmaPipelineTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int LANES = 100;
    private static final int ROUNDS = 50;

    /** Counts the outcomes of calls. */
    private static class Outcomes implements CallOutcome {
        int succeeded;
        final List<RpcException> failures = new ArrayList<>();

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            succeeded++;
        }

        @Override
        public void failed(RpcException reason) {
            failures.add(reason);
        }
    }

    /** A program whose procedure 1 waits for {@link #may}. */
    private static final class Patient implements RpcProgram {
        final CountDownLatch may = new CountDownLatch(1);

        @Override
        public ProgramId id() {
            return new ProgramId(EchoProgram.PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws InterruptedException {
            if (request.procedure() == 1) {
                may.await();
            }
            return AcceptStatus.SUCCESS;
        }
    }

    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private final Patient patient = new Patient();
    private RpcRdmaServer server;
    private RpcRdmaServer slow;
    private RpcRdmaClient client;
    private RpcRdmaClient waiting;
    private CallPipeline pipeline;
    private CallPipeline patience;

    @BeforeEach
    void connect() throws Exception {
        server = listen(new EchoProgram());
        slow = listen(patient);
        client = connectTo(server);
        waiting = connectTo(slow);
        pipeline = client.pipeline();
        patience = waiting.pipeline();
    }

    private RpcRdmaServer listen(RpcProgram program) throws Exception {
        return Connections.listen(
                provider,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                List.of(program),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    private RpcRdmaClient connectTo(RpcRdmaServer wanted) throws Exception {
        return Connections.connect(
                provider,
                wanted.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void checkNothingLeaks() {
        patient.may.countDown();
        pipeline.close();
        patience.close();
        for (var each : List.of(client, waiting)) {
            assertEquals(0, each.openWindows());
            each.close();
            assertEquals(0, each.leasedMemory());
        }
        for (var each : List.of(server, slow)) {
            each.close();
            assertEquals(0, each.leasedMemory());
        }
    }

    private static RpcCall patientCall() {
        return new RpcCall(EchoProgram.PROGRAM, 1, 1, _ -> {}, 0);
    }

    private static void settle(CallPipeline calls) throws Exception {
        while (calls.poll(TIMEOUT)) {
            // The pipeline delivers outcomes.
        }
    }

    /** Makes one call after the other, with lengths that travel inline and in chunks. */
    private final class Lane implements CallOutcome {
        private final int number;
        private int round;

        Lane(int number) {
            this.number = number;
        }

        private int size() {
            return (number * 7919 + round * 104729) % 20_000;
        }

        void ask() throws RpcException {
            var data = MemorySegment.ofArray(EchoProgram.pattern(size(), round));
            var target = Arena.ofAuto().allocate(size() + 1).asSlice(0, size());
            pipeline.submit(EchoProgram.swap(data, target), TIMEOUT, this);
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            byte[] bytes = results.bulk(size()).toArray(ValueLayout.JAVA_BYTE);
            assertArrayEquals(EchoProgram.pattern(size(), round), bytes);
            round++;
            try {
                if (round < ROUNDS) {
                    ask();
                }
            } catch (RpcException failure) {
                failed(failure);
            }
        }

        @Override
        public void failed(RpcException reason) {
            throw new AssertionError(reason);
        }
    }

    @Test
    void keepsMoreCallsOutstandingThanThereAreCreditsWithOneThread() throws Exception {
        var lanes = new ArrayList<Lane>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new Lane(i));
            lanes.getLast().ask();
        }
        settle(pipeline);
        lanes.forEach(lane -> assertEquals(ROUNDS, lane.round));
        assertEquals(LANES * ROUNDS, client.statistics().value(Counter.REPLIES));
        assertFalse(pipeline.poll(TIMEOUT));
    }

    @Test
    void sharesAConnectionWithThreadsThatWait() throws Exception {
        var lanes = new ArrayList<Lane>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new Lane(i));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var callers = new ArrayList<java.util.concurrent.Future<?>>();
            for (int i = 0; i < 8; i++) {
                callers.add(
                        threads.submit(
                                () -> {
                                    for (int round = 0; round < ROUNDS; round++) {
                                        client.call(EchoProgram.nullCall(), TIMEOUT).close();
                                    }
                                    return null;
                                }));
            }
            for (var lane : lanes) {
                lane.ask();
            }
            settle(pipeline);
            for (var caller : callers) {
                caller.get();
            }
        }
        settle(pipeline);
        lanes.forEach(lane -> assertEquals(ROUNDS, lane.round));
    }

    @Test
    void failsAllCallsOnceWhenTheServerGoesAway() throws Exception {
        var outcomes = new Outcomes();
        for (int i = 0; i < LANES; i++) {
            patience.submit(patientCall(), TIMEOUT, outcomes);
        }
        assertFalse(patience.poll(Duration.ofMillis(5)));
        slow.close();
        settle(patience);
        assertEquals(LANES, outcomes.failures.size());
    }

    /** Goal: a waiting caller also polls for pipelines, but delivers none of their outcomes. */
    @Test
    void isServedByAThreadThatWaitsForItsOwnCall() throws Exception {
        var outcomes = new Outcomes();
        pipeline.submit(EchoProgram.nullCall(), TIMEOUT, outcomes);
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        assertEquals(0, outcomes.succeeded);
        assertTrue(pipeline.poll(Duration.ZERO));
        assertEquals(1, outcomes.succeeded);
    }

    /** Goal: each pipeline delivers its outcomes on its own thread, whichever thread polls. */
    @Test
    void fliesBesideOthersOnOneConnection() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<java.util.concurrent.Future<Integer>>();
            for (int i = 0; i < 8; i++) {
                all.add(threads.submit(this::fly));
            }
            for (var each : all) {
                assertEquals(LANES * ROUNDS, each.get());
            }
        }
    }

    private int fly() throws Exception {
        var own = Thread.currentThread();
        try (var calls = client.pipeline()) {
            var outcomes =
                    new Outcomes() {
                        int begun;

                        void ask() {
                            try {
                                begun++;
                                calls.submit(EchoProgram.nullCall(), TIMEOUT, this);
                            } catch (RpcException failure) {
                                throw new AssertionError(failure);
                            }
                        }

                        @Override
                        public void succeeded(XdrReader results) throws XdrException {
                            super.succeeded(results);
                            assertSame(own, Thread.currentThread());
                            if (begun < LANES * ROUNDS) {
                                ask();
                            }
                        }
                    };
            for (int i = 0; i < LANES; i++) {
                outcomes.ask();
            }
            settle(calls);
            return outcomes.succeeded;
        }
    }

    /** Goal: a closed pipeline has fenced all memory that its calls offered. */
    @Test
    void cancelsWhatIsOutstandingWhenItIsClosed() throws Exception {
        var outcomes = new Outcomes();
        for (int i = 0; i < LANES; i++) {
            patience.submit(patientCall(), TIMEOUT, outcomes);
            var data = MemorySegment.ofArray(EchoProgram.pattern(20_000, i));
            pipeline.submit(
                    EchoProgram.swap(data, Arena.ofAuto().allocate(20_000)), TIMEOUT, outcomes);
        }
        assertFalse(patience.poll(Duration.ofMillis(5)));
        pipeline.poll(Duration.ofMillis(1));
        int told = outcomes.succeeded;
        patience.close();
        pipeline.close();
        assertEquals(0, client.openWindows());
        assertEquals(told, outcomes.succeeded);
        assertEquals(List.of(), outcomes.failures);
        assertThrows(
                IllegalStateException.class,
                () -> pipeline.submit(EchoProgram.nullCall(), TIMEOUT, outcomes));
        // The server accessed no memory of these calls, so their connection is not lost. Its
        // credits come back with the replies of the server.
        patient.may.countDown();
        waiting.call(EchoProgram.nullCall(), TIMEOUT).close();
    }

    @Test
    void canBeClosedWhileAnOutcomeIsDelivered() throws Exception {
        var outcomes = new Outcomes();
        pipeline.submit(
                EchoProgram.nullCall(),
                TIMEOUT,
                new Outcomes() {
                    @Override
                    public void succeeded(XdrReader results) {
                        client.close();
                    }
                });
        for (int i = 0; i < LANES; i++) {
            pipeline.submit(EchoProgram.nullCall(), TIMEOUT, outcomes);
        }
        settle(pipeline);
        assertEquals(LANES, outcomes.succeeded + outcomes.failures.size());
    }

    /** Goal: the messages of a turn leave in a few parts, so that the peer can start earlier. */
    @Test
    void sendsATurnInAFewBatches() {
        assertEquals(2, Endpoint.batchSize(0));
        assertEquals(2, Endpoint.batchSize(8));
        assertEquals(4, Endpoint.batchSize(16));
        assertEquals(16, Endpoint.batchSize(64));
    }
}
