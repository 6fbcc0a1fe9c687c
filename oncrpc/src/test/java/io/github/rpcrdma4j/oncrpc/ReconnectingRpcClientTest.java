package io.github.rpcrdma4j.oncrpc;

import static io.github.rpcrdma4j.oncrpc.Answering.lost;
import static io.github.rpcrdma4j.oncrpc.Answering.nothing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.xdr.XdrReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a call ends in time with every failure of its server. Method: minimal transports that fail.
 */
@Timeout(30)
class ReconnectingRpcClientTest {
    private static final RpcCall CALL = new RpcCall(1, 1, 7, _ -> {}, 0);
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    @Test
    void retriesACallWhoseDeadlineWasLongerThanTheRetry() throws Exception {
        var retry = Duration.ofMillis(100);
        var never = new CountDownLatch(1);
        var made = new AtomicInteger();
        Answering silent =
                (_, _) -> {
                    assertFalse(never.await(2 * retry.toMillis(), TimeUnit.MILLISECONDS));
                    throw new RpcException.TimedOut("no reply");
                };
        Answering good = (_, _) -> nothing();
        Connector connector = () -> made.getAndIncrement() == 0 ? silent : good;
        try (var client = ReconnectingRpcClient.connect(connector, retry)) {
            client.call(CALL, DEADLINE).close();
        }
        assertEquals(2, made.get());
    }

    @Test
    void givesEachAttemptTheWholeTimeout() throws Exception {
        var timeouts = new ArrayList<Duration>();
        Answering slowAtFirst =
                (_, timeout) -> {
                    timeouts.add(timeout);
                    if (timeouts.size() == 1) {
                        throw new RpcException.TimedOut("no reply");
                    }
                    return nothing();
                };
        try (var client = ReconnectingRpcClient.connect(() -> slowAtFirst, DEADLINE)) {
            client.call(CALL, DEADLINE).close();
        }
        assertEquals(List.of(DEADLINE, DEADLINE), timeouts);
    }

    /** Goal: one bound covers the attempts, the pauses and the tries to connect. */
    @Test
    void aBoundOnTheWholeCallShortensAllThatFollows() throws Exception {
        var whole = Duration.ofMillis(300);
        var timeouts = new ArrayList<Duration>();
        var tries = new ArrayList<Duration>();
        Answering silent =
                (_, timeout) -> {
                    timeouts.add(timeout);
                    throw new RpcException.ConnectionLost("gone", null);
                };
        var connector =
                new Connector() {
                    @Override
                    public RpcClient connect() {
                        return silent;
                    }

                    @Override
                    public RpcClient connect(Duration atMost) {
                        tries.add(atMost);
                        return silent;
                    }
                };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ofHours(1))) {
            assertThrows(
                    RpcException.ConnectionLost.class, () -> client.call(CALL, DEADLINE, whole));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> client.call(CALL, DEADLINE, Duration.ofNanos(-1)));
        }
        assertTrue(tries.size() > 1);
        var before = whole;
        for (int i = 0; i < tries.size(); i++) {
            assertTrue(timeouts.get(i).compareTo(before) <= 0, timeouts::toString);
            assertTrue(tries.get(i).compareTo(timeouts.get(i)) <= 0, tries::toString);
            before = tries.get(i);
        }
    }

    /** Goal: the message names the time that the caller gave, and not only the rest of it. */
    @Test
    void aCallThatEndsWithItsWholeTimeSaysSo() throws Exception {
        var whole = Duration.ofNanos(500);
        Answering late =
                (_, timeout) -> {
                    throw new RpcException.TimedOut("no reply within " + Timeouts.words(timeout));
                };
        try (var client = ReconnectingRpcClient.connect(() -> late, Duration.ZERO)) {
            var failure =
                    assertThrows(
                            RpcException.TimedOut.class, () -> client.call(CALL, DEADLINE, whole));
            var message = failure.getMessage();
            assertTrue(message.endsWith(", at the end of the 500 ns for the whole call"), message);
            var other =
                    assertThrows(
                            RpcException.TimedOut.class,
                            () -> client.call(CALL, Duration.ZERO, Duration.ofHours(1)));
            assertEquals("no reply within 0 s", other.getMessage());
        }
    }

    @Test
    void aCallWithoutTimeIsMadeOnce() throws Exception {
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    made.incrementAndGet();
                    return lost();
                };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ofHours(1))) {
            assertThrows(
                    RpcException.ConnectionLost.class,
                    () -> client.call(CALL, DEADLINE, Duration.ZERO));
        }
        assertEquals(1, made.get());
    }

    /** Goal: a server that remembers calls recognizes a repeated call. */
    @Test
    void sendsACallAgainWithItsXid() throws Exception {
        var xids = new ArrayList<OptionalInt>();
        Connector connector =
                () ->
                        new Answering() {
                            @Override
                            public RpcReply call(RpcCall call, Duration timeout)
                                    throws RpcException {
                                xids.add(call.xid());
                                if (xids.size() % 3 != 0) {
                                    throw new RpcException.ConnectionLost("gone", null);
                                }
                                return nothing();
                            }
                        };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ofSeconds(20))) {
            client.call(CALL, DEADLINE).close();
            client.call(CALL, DEADLINE).close();
        }
        int first = xids.getFirst().orElseThrow();
        assertEquals(
                IntStream.of(0, 0, 0, 1, 1, 1)
                        .mapToObj(more -> OptionalInt.of(first + more))
                        .toList(),
                xids);
    }

    @Test
    void givesUpWhenTheServerStaysAway() throws Exception {
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    if (made.getAndIncrement() > 0) {
                        throw new RpcException.Unreachable("nobody there", null);
                    }
                    return lost();
                };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ofMillis(200))) {
            assertThrows(RpcException.Unreachable.class, () -> client.call(CALL, DEADLINE));
        }
        assertTrue(made.get() > 2);
    }

    @Test
    void reconnectsOnceAndAtOnceWithoutARetry() throws Exception {
        var made = new AtomicInteger();
        var losses = new ArrayList<String>();
        Answering good = (_, _) -> nothing();
        Connector connector =
                new Connector() {
                    @Override
                    public RpcClient connect() {
                        return made.getAndIncrement() % 2 == 0 ? Answering.lost() : good;
                    }

                    @Override
                    public void lost(RpcException why) {
                        losses.add(why.getMessage());
                    }
                };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ZERO)) {
            client.call(CALL, DEADLINE).close();
        }
        assertEquals(2, made.get());
        assertEquals(List.of("gone"), losses);
    }

    @Test
    void failsWithoutARetryWhenTheSecondConnectionIsLostToo() throws Exception {
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    made.incrementAndGet();
                    return lost();
                };
        var time = new StandingTime();
        try (var client = time.connect(connector, Duration.ZERO)) {
            assertThrows(RpcException.ConnectionLost.class, () -> client.call(CALL, DEADLINE));
            assertEquals(2, made.get());
            // Neither connection carried a reply, so the next call makes no third connection yet.
            assertThrows(RpcException.ConnectionLost.class, () -> client.call(CALL, DEADLINE));
            assertEquals(2, made.get());
        }
    }

    /** A server that is back serves a client that has given up calls. */
    @Test
    void aLaterCallReconnectsOnceWithoutARetry() throws Exception {
        var made = new AtomicInteger();
        Answering good = (_, _) -> nothing();
        Connector connector =
                () -> {
                    if (made.getAndIncrement() == 1) {
                        throw new RpcException.Unreachable("the server is gone", null);
                    }
                    return made.get() < 3 ? lost() : good;
                };
        var time = new StandingTime();
        try (var client = time.connect(connector, Duration.ZERO)) {
            assertThrows(RpcException.Unreachable.class, () -> client.call(CALL, DEADLINE));
            assertEquals(2, made.get());
            assertThrows(RpcException.Unreachable.class, () -> client.call(CALL, DEADLINE));
            assertEquals(2, made.get());
            time.now += BackOff.LONGEST_NANOS;
            client.call(CALL, DEADLINE).close();
            assertEquals(3, made.get());
        }
    }

    @Test
    void doesNotRepeatACallThatTookTooLong() throws Exception {
        var made = new AtomicInteger();
        Answering silent =
                (_, _) -> {
                    throw new RpcException.TimedOut("no reply");
                };
        Connector connector =
                () -> {
                    made.incrementAndGet();
                    return silent;
                };
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ZERO)) {
            assertThrows(RpcException.TimedOut.class, () -> client.call(CALL, DEADLINE));
        }
        assertEquals(1, made.get());
    }

    @Test
    void triesNothingAgainThatTheTransportRefused() throws Exception {
        var made = new AtomicInteger();
        Answering refusing =
                (_, _) -> {
                    made.incrementAndGet();
                    throw new RpcException.TransportRefused("ERR_CHUNK");
                };
        try (var client = ReconnectingRpcClient.connect(() -> refusing, Duration.ofHours(1))) {
            assertThrows(RpcException.TransportRefused.class, () -> client.call(CALL, DEADLINE));
        }
        assertEquals(1, made.get());
    }

    @Test
    void closesWhileItTriesToReconnect() throws Exception {
        var trying = new CountDownLatch(2);
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    if (made.getAndIncrement() > 0) {
                        trying.countDown();
                        throw new RpcException.Unreachable("nobody there", null);
                    }
                    return lost();
                };
        var client = ReconnectingRpcClient.connect(connector, Duration.ofHours(1));
        var ended = new CompletableFuture<Exception>();
        Thread.ofVirtual()
                .start(
                        () ->
                                ended.complete(
                                        assertThrows(
                                                RpcException.ConnectionLost.class,
                                                () -> client.call(CALL, DEADLINE))));
        trying.await();
        client.close();
        assertEquals("closed on this side", ended.get().getMessage());
    }

    /**
     * A connection that may take one call at a time before its first reply. It records the called
     * procedures.
     */
    private final class SingleCallConnection implements RpcClient {
        private final List<Integer> procedures = new ArrayList<>();
        private final boolean takesOneCall;
        private final RpcException ofNull;
        private final RpcException ofOthers;

        SingleCallConnection(boolean takesOneCall, RpcException ofNull, RpcException ofOthers) {
            this.takesOneCall = takesOneCall;
            this.ofNull = ofNull;
            this.ofOthers = ofOthers;
            connections.add(this);
        }

        @Override
        public boolean takesOneCallAtFirst() {
            return takesOneCall;
        }

        @Override
        public synchronized RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            procedures.add(call.procedure());
            var failure = call.procedure() == 0 ? ofNull : ofOthers;
            if (failure != null) {
                throw failure;
            }
            return nothing();
        }

        @Override
        public void close() {}
    }

    private static final RpcException GONE = new RpcException.ConnectionLost("gone", null);
    private final List<SingleCallConnection> connections = new ArrayList<>();

    /** Makes a number of calls at a time, and checks that all succeed. */
    private void call(int calls, Connector connector) throws Exception {
        call(calls, connector, Duration.ZERO);
    }

    private void call(int calls, Connector connector, Duration retry) throws Exception {
        try (var client = ReconnectingRpcClient.connect(connector, retry);
                var pipeline = client.pipeline()) {
            var succeeded = new AtomicInteger();
            for (int i = 0; i < calls; i++) {
                pipeline.submit(
                        CALL,
                        DEADLINE,
                        new CallOutcome() {
                            @Override
                            public void succeeded(XdrReader results) {
                                succeeded.incrementAndGet();
                            }

                            @Override
                            public void failed(RpcException reason) {
                                throw new AssertionError(reason);
                            }
                        });
            }
            while (pipeline.poll(DEADLINE)) {
                // Poll delivers the outcomes.
            }
            assertEquals(calls, succeeded.get());
        }
    }

    @Test
    void makesANullCallBeforeSeveralCallsOnAConnectionThatTakesOneAtFirst() throws Exception {
        call(3, () -> new SingleCallConnection(true, null, connections.isEmpty() ? GONE : null));
        assertEquals(List.of(7, 7, 7), connections.get(0).procedures);
        assertEquals(List.of(0, 7, 7, 7), connections.get(1).procedures);
    }

    @Test
    void makesNoNullCallForOneCallOrWhereItGainsNothing() throws Exception {
        call(1, () -> new SingleCallConnection(true, null, connections.isEmpty() ? GONE : null));
        assertEquals(List.of(7), connections.get(1).procedures);
        connections.clear();
        call(3, () -> new SingleCallConnection(false, null, connections.isEmpty() ? GONE : null));
        assertEquals(List.of(7, 7, 7), connections.get(1).procedures);
    }

    @Test
    void goesOnWhenTheServerRefusesTheNullCall() throws Exception {
        var refused = new RpcException.Refused("no", AcceptStatus.PROC_UNAVAIL);
        call(2, () -> new SingleCallConnection(true, refused, connections.isEmpty() ? GONE : null));
        assertEquals(List.of(0, 7, 7), connections.get(1).procedures);
    }

    @Test
    void takesAConnectionThatIsLostInItsNullCallForOneThatWasNotMade() throws Exception {
        Connector connector =
                () ->
                        switch (connections.size()) {
                            case 0 -> new SingleCallConnection(true, null, GONE);
                            case 1 -> new SingleCallConnection(true, GONE, null);
                            default -> new SingleCallConnection(true, null, null);
                        };
        call(2, connector, Duration.ofHours(1));
        assertEquals(List.of(0), connections.get(1).procedures);
        assertEquals(List.of(0, 7, 7), connections.get(2).procedures);
    }

    @Test
    void waitsForTheNextTryNoLongerThanThePollMay() throws Exception {
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    if (made.getAndIncrement() > 0) {
                        throw new RpcException.Unreachable("nobody there", null);
                    }
                    return lost();
                };
        var failures = new ArrayList<RpcException>();
        try (var client = ReconnectingRpcClient.connect(connector, Duration.ofHours(1));
                var pipeline = client.pipeline()) {
            pipeline.submit(
                    CALL,
                    DEADLINE,
                    new CallOutcome() {
                        @Override
                        public void succeeded(XdrReader results) {}

                        @Override
                        public void failed(RpcException reason) {
                            failures.add(reason);
                        }
                    });
            while (made.get() < 4) {
                assertFalse(pipeline.poll(Duration.ofMillis(1)));
            }
            assertEquals(List.of(), failures);
        }
    }

    @Test
    void refusesARetryTimeThatIsNegative() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ReconnectingRpcClient.connect(Answering::lost, Duration.ofNanos(-1)));
    }

    @Test
    void makesNoConnectionOnceItIsClosed() throws Exception {
        var made = new AtomicInteger();
        var losses = new ArrayList<RpcException>();
        var client =
                ReconnectingRpcClient.connect(
                        new Connector() {
                            @Override
                            public RpcClient connect() {
                                made.incrementAndGet();
                                return Answering.lost();
                            }

                            @Override
                            public void lost(RpcException why) {
                                losses.add(why);
                            }
                        },
                        Duration.ofHours(1));
        client.close();
        var failure =
                assertThrows(RpcException.ConnectionLost.class, () -> client.call(CALL, DEADLINE));
        assertEquals("closed on this side", failure.getMessage());
        assertEquals(1, made.get());
        assertEquals(List.of(), losses);
    }
}
