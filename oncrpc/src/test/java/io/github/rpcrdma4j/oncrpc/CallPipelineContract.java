package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: pipelines of all clients behave alike. Method: each subclass connects its client to a
 * server that serves {@link #program}.
 */
@Timeout(60)
public abstract class CallPipelineContract {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long MAX = 1 << 20;
    private static final int LANES = 40;
    private static final int ROUNDS = 20;

    protected final PatternProgram program = new PatternProgram(1, 1);
    private RpcClient client;
    private CallPipeline pipeline;

    /** Returns a client on a connection of its own. */
    protected abstract RpcClient connect() throws Exception;

    /** Closes the server after the client and the pipeline, and checks that no memory is leased. */
    protected abstract void closeServer();

    @BeforeEach
    void begin() throws Exception {
        client = connect();
        pipeline = client.pipeline();
    }

    @AfterEach
    void everythingIsGivenBack() {
        program.letGo();
        pipeline.close();
        pipeline.close();
        client.close();
        closeServer();
    }

    @Test
    void refusesANegativeTimeout() throws Exception {
        var negative = Duration.ofNanos(-1);
        assertThrows(
                IllegalArgumentException.class,
                () -> pipeline.submit(PatternProgram.nullCall(), negative, new Outcomes()));
        assertThrows(
                IllegalArgumentException.class,
                () -> client.call(PatternProgram.nullCall(), negative));
        assertEquals(0, pipeline.outstanding());
        client.call(PatternProgram.nullCall(), DEADLINE).close();
    }

    /** Counts outcomes. */
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

    /** Goal: blocking calls and pipelines accept any timeout, over every transport. */
    @Test
    void aTimeoutMayBeOfAnyLength() throws Exception {
        var forever = Duration.ofSeconds(Long.MAX_VALUE);
        try (var reply = client.call(PatternProgram.nullCall(), forever)) {
            reply.results().finish();
        }
        var outcomes = new Outcomes();
        pipeline.submit(PatternProgram.nullCall(), forever, outcomes);
        while (pipeline.poll(forever)) {
            // Poll delivers the outcomes.
        }
        assertEquals(1, outcomes.succeeded);
        assertEquals(List.of(), outcomes.failures);
    }

    private void settle() throws InterruptedException {
        while (pipeline.poll(DEADLINE)) {
            // Poll delivers the outcomes.
        }
    }

    /** Submits one call after the other, with data of many sizes. */
    private final class CallChain extends Outcomes {
        private final Thread own = Thread.currentThread();
        private final Random random;
        private byte[] bytes;

        CallChain(int number) {
            random = new Random(number);
        }

        void ask() throws RpcException {
            bytes = new byte[random.nextInt(20_000)];
            random.nextBytes(bytes);
            pipeline.submit(PatternProgram.swap(MemorySegment.ofArray(bytes)), DEADLINE, this);
        }

        @Override
        public void succeeded(XdrReader results) throws XdrException {
            super.succeeded(results);
            assertSame(own, Thread.currentThread());
            assertEquals(-1, MemorySegment.ofArray(bytes).mismatch(results.bulk(MAX)));
            results.finish();
            if (succeeded < ROUNDS) {
                try {
                    ask();
                } catch (RpcException failure) {
                    failed(failure);
                }
            }
        }
    }

    /** Goal: a caller can wait for all of its calls, even if they are slow. */
    @Test
    void knowsHowManyCallsHaveNoOutcome() throws Exception {
        var outcomes = new Outcomes();
        assertEquals(0, pipeline.outstanding());
        pipeline.submit(PatternProgram.nullCall(), DEADLINE, outcomes);
        pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, outcomes);
        assertEquals(2, pipeline.outstanding());
        assertTrue(pipeline.poll(DEADLINE));
        assertFalse(pipeline.poll(Duration.ofMillis(1)));
        assertEquals(1, pipeline.outstanding());
        pipeline.close();
        assertEquals(0, pipeline.outstanding());
    }

    /** Goal: calls with a future work over every transport. */
    @Test
    void aFutureHasTheDecodedResults() throws Exception {
        byte[] bytes = {1, 2, 3, 4, 5};
        var call = PatternProgram.swap(MemorySegment.ofArray(bytes));
        var future =
                client.callAsync(
                        call,
                        DEADLINE,
                        results -> results.bulk(MAX).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(bytes, future.get());
    }

    @Test
    void aFutureFailsWithTheReason() {
        var call = PatternProgram.procedure(PatternProgram.FAIL);
        var future = client.callAsync(call, DEADLINE, XdrReader::uint32);
        var failed = assertThrows(ExecutionException.class, future::get);
        assertInstanceOf(RpcException.Refused.class, failed.getCause());
        var empty = client.callAsync(PatternProgram.nullCall(), DEADLINE, XdrReader::uint32);
        var malformed = assertThrows(ExecutionException.class, empty::get);
        assertInstanceOf(RpcException.BadReply.class, malformed.getCause());
    }

    /**
     * Goal: the message names the remedy, as the call runs on a thread that the user does not see.
     */
    @Test
    void aFutureRefusesMemoryThatIsConfinedToAThread() throws Exception {
        try (var confined = Arena.ofConfined()) {
            for (int length : new int[] {100, 200_000}) {
                var data = confined.allocate(length);
                var arguments =
                        List.<Consumer<XdrWriter>>of(
                                out -> out.bulk(data), out -> out.opaque(data));
                for (var each : arguments) {
                    var call =
                            new RpcCall(PatternProgram.PROGRAM, 1, PatternProgram.STORE, each, 100);
                    var future = client.callAsync(call, DEADLINE, XdrReader::uint64);
                    var failed = assertThrows(ExecutionException.class, future::get).getCause();
                    assertInstanceOf(IllegalArgumentException.class, failed);
                    assertEquals(
                            "an argument is confined to another thread than that of the call: use"
                                    + " Arena.ofShared() or Arena.ofAuto()",
                            failed.getMessage());
                    client.call(call, DEADLINE).close();
                }
            }
        }
    }

    @Test
    void aFutureThatIsCancelledGivesItsCallUp() {
        var call = PatternProgram.procedure(PatternProgram.WAIT);
        var future = client.callAsync(call, DEADLINE, XdrReader::uint32);
        assertTrue(future.cancel(true));
        assertTrue(future.isCancelled());
        assertThrows(CancellationException.class, future::get);
    }

    @Test
    void keepsManyCallsOutstandingWithOneThread() throws Exception {
        var chains = new ArrayList<CallChain>();
        for (int i = 0; i < LANES; i++) {
            chains.add(new CallChain(i));
            chains.getLast().ask();
        }
        settle();
        for (var chain : chains) {
            assertEquals(List.of(), chain.failures);
            assertEquals(ROUNDS, chain.succeeded);
        }
        assertFalse(pipeline.poll(DEADLINE));
    }

    @Test
    void reportsRefusalsAndMalformedResults() throws Exception {
        var refused = new Outcomes();
        pipeline.submit(PatternProgram.procedure(PatternProgram.FAIL), DEADLINE, refused);
        settle();
        assertInstanceOf(RpcException.Refused.class, refused.failures.getFirst());
        var strict =
                new Outcomes() {
                    @Override
                    public void succeeded(XdrReader results) throws XdrException {
                        results.uint64();
                    }
                };
        pipeline.submit(PatternProgram.nullCall(), DEADLINE, strict);
        settle();
        assertInstanceOf(RpcException.BadReply.class, strict.failures.getFirst());
        assertEquals(0, strict.succeeded);
    }

    @Test
    void goesOnBehindMalformedResults() throws Exception {
        var strict =
                new Outcomes() {
                    @Override
                    public void succeeded(XdrReader results) throws XdrException {
                        results.uint64();
                    }
                };
        var behind = new Outcomes();
        pipeline.submit(PatternProgram.nullCall(), DEADLINE, strict);
        pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, behind);
        assertTrue(pipeline.poll(DEADLINE));
        assertEquals(1, strict.failures.size());
        program.letGo();
        settle();
        assertEquals(1, behind.succeeded);
    }

    @Test
    void cancelsACallWhoseTimeIsUp() throws Exception {
        var late = new Outcomes();
        var inTime = new Outcomes();
        pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, inTime);
        pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), Duration.ofMillis(20), late);
        assertTrue(pipeline.poll(DEADLINE));
        assertInstanceOf(RpcException.TimedOut.class, late.failures.getFirst());
        assertFalse(pipeline.poll(Duration.ofMillis(5)));
        program.letGo();
        settle();
        assertEquals(1, inTime.succeeded);
        assertEquals(1, late.failures.size());
    }

    @Test
    void deliversNoOutcomesOfTheCallsThatItsCloseCancels() throws Exception {
        var outcomes = new Outcomes();
        for (int i = 0; i < LANES; i++) {
            pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, outcomes);
        }
        assertFalse(pipeline.poll(Duration.ofMillis(5)));
        pipeline.close();
        program.letGo();
        assertEquals(0, outcomes.succeeded + outcomes.failures.size());
        assertThrows(
                IllegalStateException.class,
                () -> pipeline.submit(PatternProgram.nullCall(), DEADLINE, outcomes));
        client.call(PatternProgram.nullCall(), DEADLINE).close();
    }

    /** Goal: a close by an outcome drops the other outcomes. Method: all calls end at once. */
    @Test
    void canBeClosedByAnOutcome() throws Exception {
        var outcomes =
                new Outcomes() {
                    @Override
                    public void failed(RpcException reason) {
                        super.failed(reason);
                        pipeline.close();
                    }
                };
        for (int i = 0; i < LANES; i++) {
            var call = PatternProgram.procedure(PatternProgram.WAIT);
            pipeline.submit(call, Duration.ZERO, outcomes);
        }
        assertTrue(pipeline.poll(DEADLINE));
        assertEquals(1, outcomes.failures.size());
        assertEquals(0, pipeline.outstanding());
        program.letGo();
        client.call(PatternProgram.nullCall(), DEADLINE).close();
    }

    @Test
    void failsAllCallsWithTheConnection() throws Exception {
        var outcomes = new Outcomes();
        for (int i = 0; i < LANES; i++) {
            pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, outcomes);
        }
        assertFalse(pipeline.poll(Duration.ofMillis(5)));
        client.close();
        settle();
        assertEquals(LANES, outcomes.failures.size());
        pipeline.submit(PatternProgram.nullCall(), DEADLINE, outcomes);
        settle();
        assertEquals(LANES + 1, outcomes.failures.size());
        for (var each : outcomes.failures) {
            assertInstanceOf(RpcException.ConnectionLost.class, each);
        }
    }

    @Test
    void givesItsThreadWhatAnOutcomeThrowsAndGoesOn() throws Exception {
        var other = new Outcomes();
        pipeline.submit(
                PatternProgram.nullCall(),
                DEADLINE,
                new Outcomes() {
                    @Override
                    public void succeeded(XdrReader results) {
                        throw new IllegalStateException("the caller fails on purpose");
                    }
                });
        pipeline.submit(PatternProgram.nullCall(), DEADLINE, other);
        var thrown = assertThrows(IllegalStateException.class, this::settle);
        assertEquals("the caller fails on purpose", thrown.getMessage());
        settle();
        assertEquals(1, other.succeeded);
    }

    @Test
    void waitsForACallBetweenTwoOutcomesButNotForAnotherOutcome() throws Exception {
        var outcomes =
                new Outcomes() {
                    @Override
                    public void succeeded(XdrReader results) throws XdrException {
                        super.succeeded(results);
                        assertThrows(IllegalStateException.class, () -> pipeline.poll(DEADLINE));
                        try {
                            client.call(PatternProgram.nullCall(), DEADLINE).close();
                        } catch (RpcException | InterruptedException failure) {
                            throw new AssertionError(failure);
                        }
                    }
                };
        for (int i = 0; i < LANES; i++) {
            pipeline.submit(PatternProgram.nullCall(), DEADLINE, outcomes);
        }
        settle();
        assertEquals(LANES, outcomes.succeeded);
    }

    @Test
    void losesNothingWhenItsThreadIsInterrupted() throws Exception {
        var outcomes = new Outcomes();
        for (int i = 0; i < LANES; i++) {
            pipeline.submit(PatternProgram.procedure(PatternProgram.WAIT), DEADLINE, outcomes);
        }
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, this::settle);
        program.letGo();
        settle();
        assertEquals(LANES, outcomes.succeeded);
    }
}
