package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a host that connects without end keeps no other from its connection. Method: the accepting
 * call always finds one more connection of that host.
 */
class ConnectionFloodTest {
    private static final InetAddress HONEST = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress FLOODING = InetAddress.ofLiteral("127.0.0.2");
    private static final String PLAIN = "1002000400040004";
    private static final Duration LONG = Duration.ofSeconds(30);

    private static SocketChannel acceptOrMakeOne(ServerSocketChannel server) throws IOException {
        var next = server.accept();
        while (next == null) {
            try (var flood = SocketChannel.open()) {
                flood.bind(new InetSocketAddress(FLOODING, 0));
                flood.connect(server.getLocalAddress());
                next = server.accept();
            }
        }
        return next;
    }

    @Test
    @Timeout(60)
    void readsTheRequestsOfOthersMeanwhile() throws Exception {
        try (var listener =
                        IwarpListener.open(
                                new InetSocketAddress(HONEST, 0),
                                Optional.empty(),
                                IwarpOptions.DEFAULT,
                                ConnectionFloodTest::acceptOrMakeOne);
                var peer = RawPeer.connect(listener.address())) {
            peer.send(RawPeer.setUp("Req", PLAIN));
            assertTrue(listener.accept(LONG).isPresent(), "the request was not read");
        }
    }
}
