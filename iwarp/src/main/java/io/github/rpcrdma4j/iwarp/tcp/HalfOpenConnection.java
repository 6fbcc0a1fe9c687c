package io.github.rpcrdma4j.iwarp.tcp;

import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A connection whose request is still arriving. Owned by the thread in {@code accept}. */
final class HalfOpenConnection {
    private final TcpStream tcp;
    private final InetSocketAddress peer;
    private final Optional<Object> identity;
    private final long deadline;
    private final byte[] bytes = new byte[MpaFrame.HEADER_BYTES + MpaFrame.DATA_MAX];
    private int count;
    private int wanted = MpaFrame.HEADER_BYTES;

    /**
     * Makes a connection whose request is to be read.
     *
     * @param identity who the peer was found to be, if that was asked
     * @param deadline the time by which the request must be complete, by {@link System#nanoTime}; a
     *     later connection has a later deadline
     */
    HalfOpenConnection(
            TcpStream tcp, InetSocketAddress peer, Optional<Object> identity, long deadline) {
        this.tcp = tcp;
        this.peer = peer;
        this.identity = identity;
        this.deadline = deadline;
    }

    TcpStream tcp() {
        return tcp;
    }

    InetSocketAddress peer() {
        return peer;
    }

    Optional<Object> identity() {
        return identity;
    }

    /** Returns what its quota is counted by, comparable by {@code equals}. */
    Object client() {
        return identity.orElseGet(() -> peer.getAddress());
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
