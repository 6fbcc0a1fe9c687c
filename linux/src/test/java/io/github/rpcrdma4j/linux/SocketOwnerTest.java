package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.linux.SocketOwner.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a connection is of the user who made it, or of nobody who can be told: never of another one
 * who has its port later. Method: connections that end, and are replaced, before the question.
 */
class SocketOwnerTest {
    @BeforeEach
    void requireSystemCalls() {
        assumeTrue(SystemCalls.missing().isEmpty());
    }

    private static long user() throws Exception {
        var own = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return Integer.toUnsignedLong((int) own);
    }

    private static ServerSocketChannel listen(String host) throws Exception {
        return ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.ofLiteral(host), 0));
    }

    private static InetSocketAddress address(ServerSocketChannel server) throws Exception {
        return (InetSocketAddress) server.getLocalAddress();
    }

    private static InetSocketAddress address(SocketChannel socket) throws Exception {
        return (InetSocketAddress) socket.getLocalAddress();
    }

    private static SocketChannel connect(InetSocketAddress from, InetSocketAddress to)
            throws Exception {
        var socket = SocketChannel.open();
        socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        socket.bind(from).connect(to);
        return socket;
    }

    private static void reset(SocketChannel socket) throws Exception {
        socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        socket.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1"})
    void anAcceptedConnectionIsOfItsUserWhileBothEndsAreOpen(String host) throws Exception {
        try (var server = listen(host)) {
            var here = address(server);
            var client = SocketChannel.open(here);
            var there = address(client);
            var accepted = server.accept();
            assertEquals(new Peer.OfUser(user()), SocketOwner.ofAccepted(there, here));
            var other = new InetSocketAddress(here.getAddress(), here.getPort() ^ 1);
            assertEquals(new Peer.Absent(), SocketOwner.ofAccepted(there, other));
            client.shutdownOutput();
            assertEquals(new Peer.Unproved(), SocketOwner.ofAccepted(there, here));
            client.close();
            assertEquals(new Peer.Unproved(), SocketOwner.ofAccepted(there, here));
            reset(accepted);
            assertEquals(new Peer.Absent(), SocketOwner.ofAccepted(there, here));
        }
    }

    /** The peer has reset it, and another one has its port: it waits to be accepted. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aConnectionThatWaitsToBeAcceptedProvesNothing(String host) throws Exception {
        try (var server = listen(host)) {
            var here = address(server);
            var first = SocketChannel.open(here);
            var there = address(first);
            var accepted = server.accept();
            reset(first);
            try (var second = connect(there, here)) {
                assertEquals(there, address(second));
                assertEquals(new Peer.Unproved(), SocketOwner.ofAccepted(there, here));
                // When it is accepted itself, its own user is told.
                accepted.close();
                try (var next = server.accept()) {
                    assertEquals(there, next.getRemoteAddress());
                    assertEquals(new Peer.OfUser(user()), SocketOwner.ofAccepted(there, here));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aClosedSocketWhoseBytesTheServerHasYetToReadHasNoUser(String host) throws Exception {
        try (var server = listen(host)) {
            var here = address(server);
            var client = SocketChannel.open(here);
            var there = address(client);
            client.close();
            try (var _ = server.accept()) {
                assertEquals(new Peer.Unproved(), SocketOwner.ofAccepted(there, here));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aListenerIsOfItsUser(String host) throws Exception {
        InetSocketAddress here;
        try (var server = listen(host)) {
            here = address(server);
            assertEquals(OptionalLong.of(user()), SocketOwner.ofListener(here, here.getAddress()));
        }
        assertEquals(OptionalLong.empty(), SocketOwner.ofListener(here, here.getAddress()));
    }

    /** 127.9.9.9 is of no interface: a route alone makes it local. */
    @Test
    void theKernelTellsWhichAddressesAreLocal() throws Exception {
        for (var local : new String[] {"127.0.0.1", "127.9.9.9", "::1"}) {
            assertEquals(Optional.of(true), LocalRoutes.isLocal(InetAddress.ofLiteral(local)));
        }
        var elsewhere = LocalRoutes.isLocal(InetAddress.ofLiteral("192.0.2.1"));
        assertEquals(false, elsewhere.orElse(false));
    }
}
