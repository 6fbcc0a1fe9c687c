package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Hands the bytes of one connection on to a server elsewhere, and those of the server back. */
final class Bridge {
    private static final int TURN = 4096;

    private final Thread there;

    /**
     * @param listener where the connection will come
     * @param server where its bytes go
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
                                        // One of the two has hung up.
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
            // One of the two has hung up.
        }
    }

    void join() throws InterruptedException {
        there.join();
    }
}
