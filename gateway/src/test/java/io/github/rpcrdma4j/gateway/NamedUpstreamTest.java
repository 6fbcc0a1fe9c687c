package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.testing.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a gateway finds the server where its name says, and no resolver can stop it. */
class NamedUpstreamTest {
    private static final String NAME = "server.example.org";
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final InetSocketAddress CLIENT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1023);
    private static final String FIRST = "127.0.0.1";
    private static final String SECOND = "127.0.0.2";

    /** No server listens there. */
    private static final String NONE = "127.0.0.3";

    private final RpcDispatcher noPrograms = new RpcDispatcher(List.of());
    private final AtomicInteger lookups = new AtomicInteger();
    private volatile List<String> known = List.of();
    private TcpRpcServer first;
    private TcpRpcServer second;

    @BeforeEach
    void serve() throws Exception {
        first = listen(FIRST, 0);
        second = listen(SECOND, first.address().getPort());
    }

    private static TcpRpcServer listen(String host, int port) throws IOException {
        return TcpRpcServer.listen(
                new InetSocketAddress(InetAddress.ofLiteral(host), port),
                List.of(new CountingProgram()),
                TcpRpcOptions.DEFAULT);
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
    }

    private InetAddress[] lookUp(String name) throws UnknownHostException {
        assertEquals(NAME, name);
        lookups.incrementAndGet();
        if (known.isEmpty()) {
            throw new UnknownHostException(name);
        }
        return known.stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
    }

    private NamedUpstream upstream(Duration timeout, NamedUpstream.Lookup lookup) {
        return new NamedUpstream(
                InetSocketAddress.createUnresolved(NAME, first.address().getPort()),
                timeout,
                (server, part) -> new TcpUpstream(server, part, GatewayLimits.DEFAULT),
                lookup);
    }

    private void connects(NamedUpstream upstream) throws Exception {
        upstream.connect(CLIENT, false, noPrograms, () -> {}).close();
    }

    @Test
    void eachConnectionGoesWhereTheNameThenSays() throws Exception {
        var upstream = upstream(LONG, this::lookUp);
        known = List.of(FIRST);
        connects(upstream);
        connects(upstream);
        known = List.of(SECOND);
        connects(upstream);
        assertEquals(3, lookups.get());
        assertEquals(2, opened(first, 2));
        assertEquals(1, opened(second, 1));
    }

    /** Returns how many connections a server has had, when it has accepted so many. */
    private static long opened(TcpRpcServer server, long expected) {
        Eventually.await(() -> server.statistics().connectionsOpened() >= expected);
        return server.statistics().connectionsOpened();
    }

    @Test
    void allAddressesAreTriedInTheirOrder() throws Exception {
        var upstream = upstream(LONG, this::lookUp);
        known = List.of(NONE, SECOND, FIRST);
        connects(upstream);
        assertEquals(1, opened(second, 1));
        known = List.of(NONE, NONE);
        var refused =
                assertThrows(RpcException.Unreachable.class, () -> connects(upstream)).getMessage();
        assertEquals(
                "cannot connect to "
                        + NONE
                        + ":"
                        + first.address().getPort()
                        + ": Connection refused",
                refused);
        assertEquals(0, first.statistics().connectionsOpened());
    }

    @Test
    void aNameWithoutAddressIsLookedUpAgain() throws Exception {
        var upstream = upstream(LONG, this::lookUp);
        var unknown = assertThrows(RpcException.Unreachable.class, upstream::check);
        assertEquals("unknown host " + NAME, unknown.getMessage());
        assertThrows(RpcException.Unreachable.class, () -> connects(upstream));
        known = List.of(FIRST);
        connects(upstream);
        assertEquals(3, lookups.get());
    }

    @Test
    void aResolverThatDoesNotAnswerHoldsOneThreadAndNoConnectionBeyondItsTime() throws Exception {
        var asked = new AtomicInteger();
        var answers = new CountDownLatch(1);
        NamedUpstream.Lookup slow =
                name -> {
                    asked.incrementAndGet();
                    awaited(answers);
                    return lookUp(name);
                };
        known = List.of(FIRST);
        var upstream = upstream(SHORT, slow);
        for (int i = 0; i < 3; i++) {
            var late = assertThrows(RpcException.Unreachable.class, () -> connects(upstream));
            assertEquals(
                    "cannot connect to "
                            + NAME
                            + ":"
                            + first.address().getPort()
                            + ": the resolver does not answer in time",
                    late.getMessage());
        }
        answers.countDown();
        Eventually.await(() -> lookups.get() > 0);
        assertEquals(1, asked.get());
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
