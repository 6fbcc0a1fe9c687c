package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Forwards the bytes of one connection to a server, and the server's bytes back. */
final class Bridge {
    private static final int TURN = 4096;

    private final Thread there;

    /**
     * @param listener accepts the connection
     * @param server the address of the server
     */
    Bridge(ServerSocketChannel listener, InetSocketAddress server) {
        there =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try (var near = listener.accept();
                                            var far = SocketChannel.open(server)) {
                                        var back = Thread.ofVirtual().start(() -> pump(far, near));
                                        pump(near, far);
                                        back.join();
                                    } catch (IOException _) {
                                        // One of the two ends has closed its connection.
                                    } catch (InterruptedException _) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
    }

    private static void pump(SocketChannel from, SocketChannel to) {
        var bytes = ByteBuffer.allocate(TURN);
        try {
            while (from.read(bytes.clear()) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
            }
            to.shutdownOutput();
        } catch (IOException _) {
            // One of the two ends has closed its connection.
        }
    }

    void join() throws InterruptedException {
        there.join();
    }
}
