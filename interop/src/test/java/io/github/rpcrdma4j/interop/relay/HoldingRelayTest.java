package io.github.rpcrdma4j.interop.relay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a server hears its clients while its answers are held back. Method: single bytes. */
@Timeout(60)
class HoldingRelayTest {
    private static final int MILLIS_WITHOUT_ANSWER = 50;

    private final InetAddress loopback = InetAddress.getLoopbackAddress();

    private HoldingRelay relay(ServerSocket server) throws IOException {
        return new HoldingRelay(
                loopback.getHostAddress(), new InetSocketAddress(loopback, server.getLocalPort()));
    }

    @Test
    void holdsAnswersBackUntilTheyAreReleased() throws Exception {
        try (var listener = new ServerSocket(0, 1, loopback);
                var relay = relay(listener);
                var client = new Socket(loopback, relay.port());
                var server = listener.accept()) {
            client.getOutputStream().write(1);
            assertEquals(1, server.getInputStream().read());
            server.getOutputStream().write(2);
            assertEquals(2, client.getInputStream().read());

            relay.hold();
            client.getOutputStream().write(3);
            assertEquals(3, server.getInputStream().read());
            server.getOutputStream().write(4);
            client.setSoTimeout(MILLIS_WITHOUT_ANSWER);
            assertThrows(SocketTimeoutException.class, () -> client.getInputStream().read());

            client.setSoTimeout(0);
            relay.release();
            assertEquals(4, client.getInputStream().read());
        }
    }

    @Test
    void theHoldBeginsWithTheCallThatIsAwaited() throws Exception {
        try (var listener = new ServerSocket(0, 1, loopback);
                var relay = relay(listener);
                var client = new Socket(loopback, relay.port());
                var server = listener.accept()) {
            relay.holdFrom(new byte[] {7, 8});
            client.getOutputStream().write(7);
            assertEquals(7, server.getInputStream().read());
            server.getOutputStream().write(1);
            assertEquals(1, client.getInputStream().read());

            client.getOutputStream().write(new byte[] {6, 7, 8, 9});
            assertArrayEquals(new byte[] {6, 7, 8, 9}, server.getInputStream().readNBytes(4));
            server.getOutputStream().write(2);
            client.setSoTimeout(MILLIS_WITHOUT_ANSWER);
            assertThrows(SocketTimeoutException.class, () -> client.getInputStream().read());

            client.setSoTimeout(0);
            relay.release();
            assertEquals(2, client.getInputStream().read());
        }
    }
}
