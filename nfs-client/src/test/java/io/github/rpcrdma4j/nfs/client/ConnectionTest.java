package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a call ends in time whatever its server does. Method: transports of a few lines. */
@Timeout(30)
class ConnectionTest {
    private static final RpcCall CALL = new RpcCall(1, 1, 0, _ -> {}, 0);

    /** A transport that does one thing. */
    private interface Answering extends RpcClient {
        @Override
        default void close() {}
    }

    private static RpcReply nothing() {
        return new RpcReply() {
            @Override
            public XdrReader results() {
                return new XdrReader(MemorySegment.NULL);
            }

            @Override
            public void close() {}
        };
    }

    private static ClientOptions options(Duration retry) {
        return ClientOptions.DEFAULT.withRetry(retry);
    }

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
        try (var connection = new Connection(connector, options(retry))) {
            connection.call(CALL).close();
        }
        assertEquals(2, made.get());
    }

    /** Goal: a server that remembers calls knows this one again. */
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
        try (var connection = new Connection(connector, options(Duration.ofSeconds(20)))) {
            connection.call(CALL).close();
            connection.call(CALL).close();
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
        try (var connection = new Connection(connector, options(Duration.ofMillis(200)))) {
            assertThrows(RpcException.Unreachable.class, () -> connection.call(CALL));
        }
        assertTrue(made.get() > 2);
    }

    private static Answering lost() {
        return (_, _) -> {
            throw new RpcException.ConnectionLost("gone", null);
        };
    }

    @Test
    void reconnectsOnceAndAtOnceWithoutARetry() throws Exception {
        var made = new AtomicInteger();
        var told = new ArrayList<String>();
        Answering good = (_, _) -> nothing();
        Connector connector =
                new Connector() {
                    @Override
                    public RpcClient connect() {
                        return made.getAndIncrement() % 2 == 0 ? ConnectionTest.lost() : good;
                    }

                    @Override
                    public void lost(RpcException why) {
                        told.add(why.getMessage());
                    }
                };
        try (var connection = new Connection(connector, options(Duration.ZERO))) {
            connection.call(CALL).close();
        }
        assertEquals(2, made.get());
        assertEquals(List.of("gone"), told);
    }

    @Test
    void failsWithoutARetryWhenTheSecondConnectionIsLostToo() throws Exception {
        var made = new AtomicInteger();
        Connector connector =
                () -> {
                    made.incrementAndGet();
                    return lost();
                };
        try (var connection = new Connection(connector, options(Duration.ZERO))) {
            assertThrows(RpcException.ConnectionLost.class, () -> connection.call(CALL));
            assertEquals(2, made.get());
            // Neither connection answered, so that the next call costs no third.
            assertThrows(RpcException.ConnectionLost.class, () -> connection.call(CALL));
            assertEquals(2, made.get());
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
        try (var connection = new Connection(connector, options(Duration.ZERO))) {
            assertThrows(RpcException.TimedOut.class, () -> connection.call(CALL));
        }
        assertEquals(1, made.get());
    }

    @Test
    @Tag("8267-3.1-3")
    @Tag("8267-3.1-4")
    @Tag("8267-4.1-1")
    @Tag("8267-3.1-2")
    void triesNothingAgainThatTheTransportRefused() throws Exception {
        var made = new AtomicInteger();
        Answering refusing =
                (_, _) -> {
                    made.incrementAndGet();
                    throw new RpcException.TransportRefused("ERR_CHUNK");
                };
        try (var connection = new Connection(() -> refusing, options(Duration.ofHours(1)))) {
            assertThrows(RpcException.TransportRefused.class, () -> connection.call(CALL));
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
        var connection = new Connection(connector, options(Duration.ofHours(1)));
        var ended = new CompletableFuture<Exception>();
        Thread.ofVirtual()
                .start(
                        () ->
                                ended.complete(
                                        assertThrows(
                                                RpcException.ConnectionLost.class,
                                                () -> connection.call(CALL))));
        trying.await();
        connection.close();
        assertEquals("closed on this side", ended.get().getMessage());
    }
}
