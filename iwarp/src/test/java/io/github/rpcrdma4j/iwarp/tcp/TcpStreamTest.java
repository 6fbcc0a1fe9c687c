package io.github.rpcrdma4j.iwarp.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

/**
 * Goal: a peer without power does not keep a connection open without limit. Method: read the
 * options of the socket.
 */
class TcpStreamTest {
    @Test
    void aSilentPeerIsProbedAfterHalfAMinuteAndGivenUpAfterAnother() throws Exception {
        try (var channel = SocketChannel.open()) {
            TcpStream.prepare(channel);
            assertFalse(channel.isBlocking());
            assertTrue(channel.getOption(StandardSocketOptions.TCP_NODELAY));
            assertTrue(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertEquals(30, channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
            int probing =
                    channel.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)
                            * channel.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT);
            assertEquals(30, probing);
        }
    }
}
