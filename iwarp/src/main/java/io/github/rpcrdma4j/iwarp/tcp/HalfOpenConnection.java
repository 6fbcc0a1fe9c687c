package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A connection whose request is still arriving. Owned by the thread in {@code accept}. */
final class HalfOpenConnection {
    private final TcpStream tcp;
    private final Object client;
    private final long deadline;
    private final byte[] bytes = new byte[MpaFrame.HEADER_BYTES + MpaFrame.DATA_MAX];
    private int count;
    private int wanted = MpaFrame.HEADER_BYTES;

    /**
     * Makes a connection whose request is to be read.
     *
     * @param client the client of the connection, comparable by {@code equals}
     * @param deadline the time by which the request must be complete, by {@link System#nanoTime}; a
     *     later connection has a later deadline
     */
    HalfOpenConnection(TcpStream tcp, Object client, long deadline) {
        this.tcp = tcp;
        this.client = client;
        this.deadline = deadline;
    }

    TcpStream tcp() {
        return tcp;
    }

    Object client() {
        return client;
    }

    boolean isOlderThan(HalfOpenConnection other) {
        return deadline - other.deadline < 0;
    }

    boolean isLate(long now) {
        return now - deadline > 0;
    }

    /**
     * Reads as many bytes as have arrived.
     *
     * @return the request, if it is complete
     * @throws IOException if the bytes are not a request, or the peer has closed the connection
     */
    Optional<MpaFrame> read() throws IOException {
        while (true) {
            int read = tcp.incoming().read(ByteBuffer.wrap(bytes, count, wanted - count));
            if (read < 0) {
                throw new IOException("closed during set-up");
            }
            count += read;
            switch (MpaFrame.decode(bytes, count)) {
                case MpaFrame.Decoded.Whole(var frame, _) -> {
                    return Optional.of(frame);
                }
                case MpaFrame.Decoded.Incomplete(var length) -> {
                    if (read == 0 || (length == wanted && count < wanted)) {
                        return Optional.empty();
                    }
                    wanted = length;
                }
                case MpaFrame.Decoded.Malformed(var why) -> throw new IOException(why);
            }
        }
    }
}
