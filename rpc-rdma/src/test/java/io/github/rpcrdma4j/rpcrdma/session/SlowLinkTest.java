package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.rpcrdma.session.Conditions.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
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

    /** The bytes of results that the client may have at a time. */
    private static final long RESULTS = RpcRdmaOptions.DEFAULT.sizes().largestCall();

    /** So many results of a MiB are more, beside those that the buffers of the sockets take. */
    private static final int FETCHES = (int) (RESULTS / MIB) + 12;

    /** So many results are carried while others wait. */
    private static final int CARRIED = 6;

    private final IwarpProvider provider = new IwarpProvider();
    private final ClockAhead clock = new ClockAhead();
    private final Arena arena = Arena.ofShared();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private ServerThreads server;
    private SlowLink link;
    private RpcRdmaClient slow;
    private RpcRdmaClient other;

    private void serve(int callsMax, long bytesMax) throws Exception {
        var listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var usual = PeerLimits.DEFAULT;
        var limits =
                new PeerLimits(
                        usual.connectionsMax(),
                        callsMax,
                        bytesMax,
                        usual.sendTimeout(),
                        usual.readTimeout());
        server =
                new ServerThreads(
                        clock,
                        provider,
                        listener,
                        new RpcDispatcher(List.of(new EchoProgram())),
                        new Bindings(List.of(EchoProgram.BINDING)),
                        RpcRdmaOptions.DEFAULT.toBuilder().peerLimits(limits).build(),
                        new SegmentPool(256L * MIB),
                        ServerThreads.POLLERS_MAX);
        server.start();
        link = new SlowLink(listener.address());
        slow = connect(link.address());
        other = connect(listener.address());
    }

    private RpcRdmaClient connect(InetSocketAddress address) throws Exception {
        var client =
                Connections.connect(
                        provider,
                        address,
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        client.call(EchoProgram.nullCall(), TIMEOUT).close();
        return client;
    }

    @AfterEach
    void close() throws Exception {
        link.close();
        slow.close();
        other.close();
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

    private long stalled() {
        return server.counters().value(Counter.PEERS_STALLED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClientWhoseCallsWaitForASlowLinkKeepsItsConnection(boolean isUpload) throws Exception {
        var calls = callAll(isUpload);
        int enough = isUpload ? calls.size() : CARRIED;
        while (calls.stream().filter(Future::isDone).count() < enough) {
            allowed(isUpload).release(240 << 10);
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
}
