package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.FarClients;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: requesters that never fetch their replies keep nobody out, with little memory, too. Method:
 * a server that keeps unfetched replies for longer than the test.
 */
class UnfetchedRepliesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int MIB = 1 << 20;
    private static final int CALLS = 16;
    private static final FetchedReplies FETCHED =
            FetchedReplies.DEFAULT.withHold(LONG, LateFetch.INVALIDATES);

    private final RdmaProvider provider = new IwarpProvider();
    private final List<UnfetchingPeer> crowd = new ArrayList<>();
    private RpcRdmaServer server;
    private MemoryBudget budget;

    private static RpcRdmaOptions options(FetchedReplies fetched, int connections) {
        var usual = PeerLimits.DEFAULT;
        return RpcRdmaOptions.DEFAULT.toBuilder()
                .peerLimits(
                        new PeerLimits(connections, usual.callsMax(), usual.bytesMax(), LONG, LONG))
                .profile(new Version2Profile(Version2.DEFAULT.withFetchedReplies(fetched)))
                .build();
    }

    private void serve(RdmaProvider serving, RpcRdmaOptions options) throws Exception {
        budget = new MemoryBudget(256L * MIB);
        server =
                Connections.listen(
                        serving,
                        ManualPeer.LOOPBACK,
                        new RpcDispatcher(List.of(new EchoProgram())),
                        List.of(EchoProgram.BINDING),
                        options,
                        new SegmentPool(8L * MIB, budget));
    }

    @AfterEach
    void checkNothingLeaks() {
        crowd.forEach(UnfetchingPeer::close);
        await(() -> server.openConnections() == 0 && server.clients() == 0);
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private void isServed() throws Exception {
        try (var client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT)) {
            client.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
    }

    private boolean canBeServed() {
        try {
            isServed();
            return true;
        } catch (RpcException _) {
            return false;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /** Asks for many replies; the server posts all receives at the first call. */
    private void ask(UnfetchingPeer peer) {
        long calls = count(Counter.CALLS);
        peer.ask(MIB);
        await(() -> count(Counter.CALLS) > calls);
        for (int n = 1; n < CALLS; n++) {
            peer.ask(MIB);
        }
        await(() -> count(Counter.CALLS) == calls + CALLS);
    }

    private long exposed() {
        return server.statistics().value(FetchedCounter.EXPOSED_REPLIES);
    }

    private long count(Counter counter) {
        return server.statistics().value(counter);
    }

    /**
     * Goal: calls whose replies find no memory wait, and take none from others. Method: four
     * clients that ask for more than all memory of calls.
     */
    @Test
    void theMemoryOfLongRepliesIsPlannedBeforeTheirCallsRun() throws Exception {
        int peers = 12;
        serve(
                new FarClients(
                        provider,
                        come -> InetAddress.ofLiteral("10.0.0." + (come < peers ? come % 4 : 9))),
                options(FETCHED, 100));
        for (int i = 0; i < peers; i++) {
            crowd.add(new UnfetchingPeer(provider, server.address()));
        }
        crowd.forEach(this::ask);
        await(() -> count(Counter.CALLS_DELAYED) > 0);
        // No call was lost with its connection for lack of memory.
        await(() -> exposed() + server.callsInProgress() == (long) peers * CALLS);
        assertEquals(0, count(Counter.CONNECTIONS_ENDED));
        // Room is made for others, which may cost a newcomer its first try.
        await(this::canBeServed);
    }

    /**
     * Goal: a connection whose replies wait to be fetched makes room. Method: all connections of
     * the client keep one such reply each, and others behind it.
     */
    @Test
    void aConnectionThatFetchesNothingMakesRoomForAnotherOfItsClient() throws Exception {
        serve(provider, options(FETCHED.withExposedBytesMax(1), 2));
        for (int i = 0; i < 2; i++) {
            var peer = new UnfetchingPeer(provider, server.address());
            crowd.add(peer);
            peer.ask(MIB);
            peer.ask(MIB);
        }
        await(() -> exposed() == 2);
        await(() -> server.callsInProgress() == 2);
        await(this::canBeServed);
        assertEquals(1, count(Counter.PEERS_STALLED));
    }
}
