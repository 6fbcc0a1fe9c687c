package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Prepares the JDK for virtual threads that read and write sockets. */
final class VirtualSockets {
    private VirtualSockets() {}

    /**
     * Makes the JDK create its poller for virtual threads now. The JDK creates it when the first
     * virtual thread waits for a socket. If no descriptor is left then, no virtual thread of the
     * process can ever wait for a socket again.
     *
     * @throws IOException if there is no descriptor left
     */
    static void prepare() throws IOException {
        var pipe = Pipe.open();
        try (var source = pipe.source();
                var sink = pipe.sink()) {
            var reader =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            source.read(ByteBuffer.allocate(1));
                                        } catch (IOException _) {
                                            // The attempt to read is enough.
                                        }
                                    });
            while (reader.isAlive() && reader.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            sink.write(ByteBuffer.allocate(1));
            reader.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
