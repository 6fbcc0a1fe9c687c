package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;

/** A TCP connection of RPC messages with record marks (RFC 5531, Section 11). */
final class RecordSocket implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LAST = 1 << 31;

    private final Socket socket;
    private final DataInputStream in;

    RecordSocket(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    static RecordSocket connect(InetSocketAddress server) throws IOException {
        return new RecordSocket(new Socket(server.getAddress(), server.getPort()));
    }

    void send(Words message) throws IOException {
        var record = Words.of(LAST | message.length()).and(message);
        socket.getOutputStream().write(record.bytes());
    }

    Words receive() throws IOException {
        return receiveUnlessClosed().orElseThrow(() -> new AssertionError("closed"));
    }

    /** Waits for the next message; returns empty if the peer closes the connection. */
    Optional<Words> receiveUnlessClosed() throws IOException {
        var message = Words.NONE;
        int mark;
        do {
            int first = in.read();
            if (first < 0) {
                return Optional.empty();
            }
            mark = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
            byte[] fragment = new byte[mark & ~LAST];
            in.readFully(fragment);
            message = message.and(new Words(fragment));
        } while ((mark & LAST) == 0);
        return Optional.of(message);
    }

    /** Resets the connection, as if the peer had lost it. */
    void abort() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
