package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The end of a TCP connection, so that what was sent last arrives. */
final class HangUp {
    /** What is read and thrown away, in pieces. */
    private static final int DISCARDS_MAX = 16;

    private static final int DISCARD_BYTES = 1 << 16;

    private HangUp() {}

    /** Says that there is no more, and closes without waiting. */
    static void now(Carrier carrier) {
        var channel = carrier.channel();
        try {
            channel.shutdownOutput();
            // Unread octets would turn the close into a reset, which can overtake what was sent
            // last.
            var discarded = ByteBuffer.allocate(DISCARD_BYTES);
            for (int i = 0; i < DISCARDS_MAX && channel.read(discarded.clear()) > 0; i++) {}
        } catch (IOException _) {
            // The peer is gone already.
        } finally {
            carrier.close();
        }
    }
}
