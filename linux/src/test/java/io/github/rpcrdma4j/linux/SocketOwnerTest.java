package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the user of a socket is known while a process has it, and not a moment longer. */
class SocketOwnerTest {
    @BeforeEach
    void requireSystemCalls() {
        assumeTrue(SystemCalls.missing().isEmpty());
    }

    private static long user() throws Exception {
        var own = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return Integer.toUnsignedLong((int) own);
    }

    private static OptionalLong find(InetSocketAddress local, InetSocketAddress remote) {
        return SocketOwner.find(local, remote);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1"})
    void findsTheUserOfASocketUntilItIsClosed(String host) throws Exception {
        var address = new InetSocketAddress(InetAddress.ofLiteral(host), 0);
        try (var server = ServerSocketChannel.open().bind(address)) {
            var remote = (InetSocketAddress) server.getLocalAddress();
            InetSocketAddress local;
            try (var client = SocketChannel.open(remote);
                    var accepted = server.accept()) {
                local = (InetSocketAddress) client.getLocalAddress();
                assertEquals(OptionalLong.of(user()), find(local, remote));
                assertEquals(OptionalLong.of(user()), find(remote, local));
                var other = new InetSocketAddress(remote.getAddress(), remote.getPort() ^ 1);
                assertEquals(OptionalLong.empty(), find(local, other));
                client.shutdownOutput();
                assertEquals(OptionalLong.empty(), find(local, remote));
                accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            assertEquals(OptionalLong.empty(), find(local, remote));
            // What waits for connections is no end of one.
            assertEquals(OptionalLong.empty(), find(remote, local));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aClosedSocketWhoseBytesTheServerHasYetToReadHasNoUser(String host) throws Exception {
        var address = new InetSocketAddress(InetAddress.ofLiteral(host), 0);
        try (var server = ServerSocketChannel.open().bind(address)) {
            var remote = (InetSocketAddress) server.getLocalAddress();
            var client = SocketChannel.open(remote);
            var local = (InetSocketAddress) client.getLocalAddress();
            client.close();
            assertEquals(OptionalLong.empty(), find(local, remote));
        }
    }
}
