package io.github.rpcrdma4j.bench.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.StreamCorruptedException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Goal: a worker that does not start leaves nothing open. Method: a peer that is no worker. */
class WorkerProcessTest {
    /** The header of a stream of objects. */
    private static final int HEADER_BYTES = 4;

    private static final int PATIENCE_MILLIS = 10_000;

    @Test
    void closesTheConnectionOfAPeerThatIsNoWorker() throws Exception {
        var loopback = InetAddress.getLoopbackAddress();
        try (var listener = new ServerSocket(0, 1, loopback);
                var peer = new Socket(loopback, listener.getLocalPort())) {
            peer.setSoTimeout(PATIENCE_MILLIS);
            peer.getOutputStream().write("nope".getBytes(StandardCharsets.US_ASCII));
            assertThrows(
                    StreamCorruptedException.class, () -> WorkerProcess.connected(null, listener));
            assertEquals(HEADER_BYTES, peer.getInputStream().readAllBytes().length);
        }
    }
}
