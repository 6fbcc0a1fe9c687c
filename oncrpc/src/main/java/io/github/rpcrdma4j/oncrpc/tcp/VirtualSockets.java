package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Sockets that virtual threads read and write. */
final class VirtualSockets {
    private VirtualSockets() {}

    /**
     * Has the JDK make what virtual threads need to wait for sockets. It does so when the first of
     * them waits, and where no descriptor is left then, no virtual thread of the process can ever
     * wait for a socket again.
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
                                            // It waited, or nothing can be read at all.
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
