package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: pipelined calls end like blocking calls when their connection is lost. Method: minimal
 * transports that lose connections.
 */
@Timeout(30)
class ReconnectingPipelineTest {
    private static final RpcCall CALL = new RpcCall(1, 1, 7, _ -> {}, 0);
    private static final RpcCall LARGE = new RpcCall(1, 1, 8, _ -> {}, 0);
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int CALLS = 30;

    /** How many times each XID was sent, over all connections. */
    private final Map<Integer, Integer> sent = new HashMap<>();

    private final AtomicInteger made = new AtomicInteger();
    private final List<String> losses = new ArrayList<>();

    /** A connection that answers a number of calls, and is then lost. */
    private class Connected implements RpcClient {
        private final int last;
        private int calls;
        private boolean lost;

        Connected(int last) {
            this.last = last;
        }

        @Override
        public RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            synchronized (this) {
                if (!lost) {
                    synchronized (sent) {
                        sent.merge(call.xid().orElseThrow(), 1, Integer::sum);
                    }
                }
                lost |= ++calls > last;
                if (lost) {
                    throw new RpcException.ConnectionLost("gone", null);
                }
            }
            return new RpcReply() {
                @Override
                public XdrReader results() {
                    return new XdrReader(MemorySegment.NULL);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {
            // The connection is already lost.
        }
    }

    /**
     * Returns a connector. Each connection answers the given number of calls; after the last one,
     * the server is unreachable.
     */
    private Connector connector(int... answered) {
        return new Connector() {
            @Override
            public RpcClient connect() throws RpcException {
                int number = made.getAndIncrement();
                if (number >= answered.length) {
                    throw new RpcException.Unreachable("nobody there", null);
                }
                return new Connected(answered[number]);
            }

            @Override
            public void lost(RpcException why) {
                losses.add(why.getMessage());
            }
        };
    }

    /** Submits one call after the other, up to {@code CALLS} calls. */
    private static final class Outcomes implements CallOutcome {
        private final CallPipeline pipeline;
        private int begun;
        int succeeded;
        final List<RpcException> failures = new ArrayList<>();

        Outcomes(CallPipeline pipeline) {
            this.pipeline = pipeline;
        }

        void ask() {
            try {
                begun++;
                pipeline.submit(CALL, DEADLINE, this);
            } catch (RpcException failure) {
                throw new AssertionError(failure);
            }
        }

        @Override
        public void succeeded(XdrReader results) {
            succeeded++;
            if (begun < CALLS) {
                ask();
            }
        }

        @Override
        public void failed(RpcException reason) {
            failures.add(reason);
        }
    }

    private Outcomes callAll(Connector connector, Duration retry) throws Exception {
        try (var client = ReconnectingRpcClient.connect(connector, retry);
                var pipeline = client.pipeline()) {
            var outcomes = new Outcomes(pipeline);
            for (int i = 0; i < 8; i++) {
                outcomes.ask();
            }
            while (pipeline.poll(DEADLINE)) {
                // Poll delivers the outcomes.
            }
            assertFalse(pipeline.poll(DEADLINE));
            return outcomes;
        }
    }

    @Test
    @Tag("5666-8-1")
    void startsAllCallsAgainWithTheirXids() throws Exception {
        var outcomes = callAll(connector(10, CALLS), Duration.ZERO);
        assertEquals(CALLS, outcomes.succeeded);
        assertEquals(List.of(), outcomes.failures);
        assertEquals(CALLS, sent.size());
        assertTrue(sent.containsValue(2));
        assertEquals(List.of("gone"), losses);
        assertEquals(2, made.get());
    }

    @Test
    void survivesManyLossesWithARetry() throws Exception {
        var outcomes = callAll(connector(3, 0, 0, 9, 1, CALLS), Duration.ofSeconds(20));
        assertEquals(CALLS, outcomes.succeeded);
        assertEquals(List.of(), outcomes.failures);
        assertEquals(6, made.get());
    }

    @Test
    void givesUpWhenTheServerStaysAway() throws Exception {
        var outcomes = callAll(connector(10), Duration.ofMillis(50));
        assertEquals(10, outcomes.succeeded);
        assertEquals(8, outcomes.failures.size());
        assertInstanceOf(RpcException.Unreachable.class, outcomes.failures.getFirst());
        assertTrue(made.get() > 2);
    }

    @Test
    void failsWithoutARetryWhenTheSecondConnectionIsLostToo() throws Exception {
        var outcomes = callAll(connector(10, 0, CALLS), Duration.ZERO);
        assertEquals(10, outcomes.succeeded);
        assertEquals(8, outcomes.failures.size());
        outcomes.failures.forEach(
                each -> assertInstanceOf(RpcException.ConnectionLost.class, each));
        assertEquals(2, made.get());
    }

    /** A connection with other limits, which takes no call of procedure 8. */
    private final class Limited extends Connected {
        private final boolean checksLate;

        Limited(boolean checksLate) {
            super(CALLS);
            this.checksLate = checksLate;
        }

        private static void check(RpcCall call) {
            if (call.procedure() == LARGE.procedure()) {
                throw new IllegalArgumentException("the call is too large");
            }
        }

        @Override
        public RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            check(call);
            return super.call(call, timeout);
        }

        @Override
        public CallPipeline pipeline() {
            var unchecked = new BlockingPipeline(this);
            return checksLate ? unchecked : new CheckedPipeline(unchecked);
        }

        private record CheckedPipeline(CallPipeline unchecked) implements CallPipeline {
            @Override
            public void submit(RpcCall call, Duration timeout, CallOutcome outcome)
                    throws RpcException {
                check(call);
                unchecked.submit(call, timeout, outcome);
            }

            @Override
            public boolean poll(Duration timeout) throws InterruptedException {
                return unchecked.poll(timeout);
            }

            @Override
            public int outstanding() {
                return unchecked.outstanding();
            }

            @Override
            public void close() {
                unchecked.close();
            }
        }
    }

    @Test
    void goesOnBehindACallThatTheNewConnectionDoesNotTake() throws Exception {
        goesOnBehindARejectedCall(false);
    }

    @Test
    void goesOnBehindACallThatTheNewConnectionRejectsInAPoll() throws Exception {
        goesOnBehindARejectedCall(true);
    }

    private void goesOnBehindARejectedCall(boolean checksLate) throws Exception {
        Connector connector =
                () -> made.getAndIncrement() == 0 ? new Connected(0) : new Limited(checksLate);
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ZERO);
                var pipeline = client.pipeline()) {
            var outcomes = new Outcomes(pipeline);
            outcomes.begun = CALLS;
            for (var call : List.of(LARGE, CALL, CALL)) {
                pipeline.submit(call, DEADLINE, outcomes);
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> {
                        while (pipeline.poll(DEADLINE)) {
                            // Poll delivers the outcomes.
                        }
                    });
            while (pipeline.poll(DEADLINE)) {
                // Poll delivers the outcomes.
            }
            assertEquals(0, pipeline.outstanding());
            assertEquals(2, outcomes.succeeded);
            assertEquals(List.of(), outcomes.failures);
            assertEquals(2, made.get());
        }
    }

    @Test
    void triesNothingAgainThatTheTransportRefused() throws Exception {
        Connector connector =
                () ->
                        new RpcClient() {
                            @Override
                            public RpcReply call(RpcCall call, Duration timeout)
                                    throws RpcException {
                                made.incrementAndGet();
                                throw new RpcException.TransportRefused("ERR_CHUNK");
                            }

                            @Override
                            public void close() {}
                        };
        var outcomes = callAll(connector, Duration.ofHours(1));
        assertEquals(8, outcomes.failures.size());
        assertEquals(8, made.get());
    }

    /** A client whose pipelines can protect no call. */
    private static final class Unprotecting implements RpcClient {
        @Override
        public RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            throw new RpcException.TransportRefused("no ticket");
        }

        @Override
        public CallPipeline pipeline() {
            return new CallPipeline() {
                @Override
                public void submit(RpcCall call, Duration timeout, CallOutcome outcome)
                        throws RpcException {
                    throw new RpcException.TransportRefused("no ticket");
                }

                @Override
                public boolean poll(Duration timeout) {
                    return false;
                }

                @Override
                public int outstanding() {
                    return 0;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }

    /** Goal: a close by an outcome drops the calls that are about to be sent again. */
    @Test
    void canBeClosedByAnOutcomeWhileCallsAreSentAgain() throws Exception {
        Connector connector =
                () -> made.getAndIncrement() == 0 ? new Connected(0) : new Unprotecting();
        var failures = new ArrayList<String>();
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ZERO)) {
            var pipeline = client.pipeline();
            var outcome =
                    new CallOutcome() {
                        @Override
                        public void succeeded(XdrReader results) {
                            throw new AssertionError("no connection answers");
                        }

                        @Override
                        public void failed(RpcException reason) {
                            failures.add(reason.getMessage());
                            pipeline.close();
                        }
                    };
            pipeline.submit(CALL, DEADLINE, outcome);
            pipeline.submit(CALL, DEADLINE, outcome);
            assertTrue(pipeline.poll(DEADLINE));
            assertEquals(0, pipeline.outstanding());
        }
        assertEquals(List.of("no ticket"), failures);
    }
}
