package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a client on a slow link keeps its connections while its calls wait for each other, and one
 * that hardly moves its data does not. Method: two connections of a client that may have only a few
 * calls in progress. One is on a link that carries a few bytes each second of the server's clock.
 */
class SlowLinkTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final int MIB = 1 << 20;
    private static final int ALL = 1 << 30;

    /** The bytes of results that the client may have at a time. */
    private static final long RESULTS = RpcRdmaOptions.DEFAULT.sizes().largestCall();

    /** So many results of a MiB are more, beside those that the buffers of the sockets take. */
    private static final int FETCHES = (int) (RESULTS / MIB) + 12;

    /** So many results are carried while others wait. */
    private static final int CARRIED = 6;

    /** Three clients may not hold all that they want of it. */
    private static final long SMALL_BUDGET = 4 * RESULTS;

    private final IwarpProvider provider = new IwarpProvider();
    private final ClockAhead clock = new ClockAhead();
    private final Arena arena = Arena.ofShared();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final List<AutoCloseable> ends = new ArrayList<>();
    private ServerThreads server;
    private SlowLink link;
    private RpcRdmaClient slow;
    private RpcRdmaClient other;

    private void serve(int callsMax, long bytesMax) throws Exception {
        var usual = PeerLimits.DEFAULT;
        var limits =
                new PeerLimits(
                        usual.connectionsMax(),
                        callsMax,
                        bytesMax,
                        usual.sendTimeout(),
                        usual.readTimeout());
        var address = serve(provider, limits, new SegmentPool(256L * MIB));
        link = link(address);
        slow = connect(link.address());
        other = connect(address);
    }

    /** Starts the server, and returns its address. */
    private InetSocketAddress serve(RdmaProvider with, PeerLimits limits, SegmentPool pool)
            throws Exception {
        var listener = with.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server =
                new ServerThreads(
                        clock,
                        with,
                        List.of(listener),
                        new RpcDispatcher(List.of(new EchoProgram())),
                        new Bindings(List.of(EchoProgram.BINDING)),
                        RpcRdmaOptions.DEFAULT.toBuilder().peerLimits(limits).build(),
                        pool,
                        ServerThreads.POLLERS_MAX);
        server.start();
        return listener.address();
    }

    private SlowLink link(InetSocketAddress address) throws Exception {
        var made = new SlowLink(address);
        ends.addFirst(made);
        return made;
    }

    private RpcRdmaClient connect(InetSocketAddress address) throws Exception {
        var client =
                Connections.connect(
                        provider,
                        address,
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        ends.addLast(client);
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        return client;
    }

    @AfterEach
    void close() throws Exception {
        for (var end : ends) {
            end.close();
        }
        server.close();
        workers.shutdownNow();
        arena.close();
    }

    private Future<?> call(RpcRdmaClient client, RpcCall call) {
        return workers.submit(
                () -> {
                    client.call(call, TIMEOUT).close();
                    return null;
                });
    }

    private RpcCall call(boolean isUpload) {
        var data = arena.allocate(MIB);
        return isUpload ? EchoProgram.store(1, data) : EchoProgram.fetch(MIB, 1, data);
    }

    /** Makes the calls of the slow connection, and one of the other that waits for these. */
    private List<Future<?>> callAll(boolean isUpload) throws Exception {
        var sizes = RpcRdmaOptions.DEFAULT.sizes();
        var usual = PeerLimits.DEFAULT;
        int together = isUpload ? 1 : FETCHES;
        serve(
                isUpload ? 1 : usual.callsMax(),
                isUpload ? usual.bytesMax() : RESULTS + 2 * sizes.receiveMemory());
        allowed(isUpload).drainPermits();
        // The call itself, and the first bytes that it stores.
        allowed(isUpload).release(1 << 10);
        await(() -> server.callsInProgress() == 0);
        var calls = new ArrayList<Future<?>>();
        for (int i = 0; i < together; i++) {
            calls.add(call(slow, call(isUpload)));
        }
        await(() -> server.callsInProgress() > 0);
        calls.add(call(other, call(isUpload)));
        await(() -> server.counters().value(Counter.CALLS_DELAYED) > 0);
        return calls;
    }

    private Semaphore allowed(boolean isUpload) {
        return isUpload ? link.toServer() : link.toClient();
    }

    /** Lets the link carry bytes, and waits until it has, or until there are none. */
    private void carry(boolean isUpload, int bytes, List<Future<?>> calls) {
        long wanted = carried(isUpload) + bytes;
        allowed(isUpload).release(bytes);
        await(() -> carried(isUpload) >= wanted || calls.stream().allMatch(Future::isDone));
    }

    private long carried(boolean isUpload) {
        return isUpload ? link.carriedToServer() : link.carriedToClient();
    }

    private long stalled() {
        return server.counters().value(Counter.PEERS_STALLED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientWhoseCallsWaitForASlowLinkKeepsItsConnection(boolean isUpload) throws Exception {
        var calls = callAll(isUpload);
        int enough = isUpload ? calls.size() : CARRIED;
        while (calls.stream().filter(Future::isDone).count() < enough) {
            carry(isUpload, 240 << 10, calls);
            clock.passes(SECOND);
            assertEquals(0, stalled());
        }
        for (var call : calls) {
            if (call.isDone()) {
                call.get();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientThatMovesAFewBytesWhileItsCallsWaitLosesItsConnection(boolean isUpload)
            throws Exception {
        callAll(isUpload);
        int seconds = 0;
        while (stalled() == 0) {
            allowed(isUpload).release(100);
            clock.passes(SECOND);
            assertTrue(++seconds < 30, "a stalled peer is let be");
        }
    }

    /**
     * Goal: where all clients wait for memory, those with more than an equal part move their data
     * as fast as the slowest network does, and others as slowly as a part of it. Method: two
     * clients of their own addresses hold all that one may, and a third one waits. All move as
     * much.
     */
    @Test
    void aClientWithMoreThanAnEqualPartMovesItsDataFasterWhileAllWait() throws Exception {
        var address =
                serve(
                        new FarClients(
                                provider, come -> InetAddress.ofLiteral("10.0.0." + (1 + come))),
                        PeerLimits.DEFAULT,
                        new SegmentPool(256L * MIB, new MemoryBudget(SMALL_BUDGET)));
        var calls = new ArrayList<Future<?>>();
        var links = new ArrayList<SlowLink>();
        for (int number = 0; number < 3; number++) {
            var narrow = link(address);
            links.add(narrow);
            var client = connect(narrow.address());
            narrow.toClient().drainPermits();
            calls.clear();
            long before = server.counters().value(Counter.CALLS_DELAYED);
            for (int i = 0; i < FETCHES; i++) {
                calls.add(call(client, call(false)));
            }
            await(() -> server.counters().value(Counter.CALLS_DELAYED) > before);
        }
        int seconds = 0;
        while (stalled() == 0) {
            links.forEach(each -> each.toClient().release(64 << 10));
            clock.passes(SECOND);
            assertTrue(++seconds < 30, "greedy clients are let be");
        }
        links.getLast().toClient().release(ALL);
        for (var call : calls) {
            call.get();
        }
    }
}
