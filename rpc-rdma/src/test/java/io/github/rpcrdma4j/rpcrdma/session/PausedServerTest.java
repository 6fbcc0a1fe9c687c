package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a server that was stopped for a time does not blame its clients for that time. Method: its
 * clock goes on by an hour at once, as after SIGSTOP and SIGCONT.
 */
class PausedServerTest {
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long STEP = Duration.ofSeconds(4).toNanos();
    private static final int MIB = 1 << 20;

    private final IwarpProvider provider = new IwarpProvider();
    private final ClockAhead clock = new ClockAhead();
    private ServerThreads server;
    private SilentPeer peer;

    @BeforeEach
    void serve() throws Exception {
        var listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server =
                new ServerThreads(
                        clock,
                        provider,
                        List.of(listener),
                        new RpcDispatcher(List.of(new EchoProgram())),
                        new Bindings(List.of(EchoProgram.BINDING)),
                        RpcRdmaOptions.DEFAULT,
                        new SegmentPool(256L * MIB),
                        ServerThreads.POLLERS_MAX);
        server.start();
        peer = new SilentPeer(provider, listener.address());
        await(() -> server.openConnections() == 1);
    }

    @AfterEach
    void close() {
        peer.close();
        server.close();
    }

    private long stalled() {
        return server.counters().value(Counter.PEERS_STALLED);
    }

    @Test
    void aBusyPeerKeepsItsConnectionOverAPauseAndNotForEver() throws Exception {
        int calls = 5;
        for (int i = 0; i < calls; i++) {
            peer.fetch(MIB);
        }
        await(() -> server.counters().value(Counter.CALLS) == calls);
        // The peer's socket takes a part of the first result.
        for (int i = 0; i < 20; i++) {
            clock.passes(0);
        }
        clock.passes(HOUR);
        assertEquals(0, stalled());
        assertEquals(1, server.openConnections());
        int steps = 0;
        while (stalled() == 0) {
            clock.passes(STEP);
            assertTrue(++steps < 100, "a stalled peer is let be");
        }
        assertTrue(steps > 3, "only the hour counted");
    }

    @Test
    void anIdlePeerKeepsItsConnectionOverAPauseAndNotForEver() {
        clock.passes(0);
        clock.passes(HOUR);
        assertEquals(1, server.openConnections());
        int steps = 0;
        while (server.openConnections() > 0) {
            clock.passes(STEP);
            assertTrue(++steps < 1000, "an idle peer is let be");
        }
        assertTrue(steps > 3, "only the hour counted");
    }
}
