package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/**
 * The messages of the plain TCP exchange on one connection.
 *
 * <pre>
 *   kind(32) | length(32) | 56 unused bytes | payload, if the kind has one | CRC32C(32), if set
 * </pre>
 */
final class TcpStream implements AutoCloseable {
    private static final int HEADER = 64;
    private static final int TRAILER = 4;
    private static final Work.Kind[] KINDS = Work.Kind.values();

    /** The header of a message. */
    record Header(Work.Kind kind, int length) {}

    private final SocketChannel channel;
    private final ByteBuffer header = ByteBuffer.allocateDirect(HEADER);
    private final ByteBuffer trailer = ByteBuffer.allocateDirect(TRAILER);
    private final ByteBuffer received = ByteBuffer.allocateDirect(HEADER);
    private final CRC32C sentCrc;
    private final CRC32C receivedCrc;

    TcpStream(SocketChannel channel, boolean crc) {
        this.channel = channel;
        sentCrc = crc ? new CRC32C() : null;
        receivedCrc = crc ? new CRC32C() : null;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Sends a message; one gathering write takes all of it, if the socket has room. */
    void send(Work.Kind kind, int length, ByteBuffer payload) throws IOException {
        header.clear().putInt(kind.ordinal()).putInt(length).position(0);
        if (sentCrc == null && payload == null) {
            writeAll(header);
        } else if (sentCrc == null) {
            writeAll(header, payload);
        } else {
            sentCrc.reset();
            sentCrc.update(header.duplicate());
            var bytes = payload == null ? ByteBuffer.allocate(0) : payload;
            sentCrc.update(bytes.duplicate());
            trailer.clear().putInt((int) sentCrc.getValue()).flip();
            writeAll(header, bytes, trailer);
        }
    }

    private void writeAll(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void writeAll(ByteBuffer... pieces) throws IOException {
        while (pieces[pieces.length - 1].hasRemaining()) {
            channel.write(pieces);
        }
    }

    Header receiveHeader() throws IOException {
        if (receivedCrc != null) {
            receivedCrc.reset();
        }
        receivePayload(received.clear());
        return new Header(KINDS[received.getInt(0)], received.getInt(4));
    }

    /**
     * Fills memory with payload, and adds arrived bytes to the CRC while they are in the CPU's
     * cache.
     */
    void receivePayload(ByteBuffer payload) throws IOException {
        while (payload.hasRemaining()) {
            int from = payload.position();
            receiveSome(payload);
            if (receivedCrc != null) {
                receivedCrc.update(payload.duplicate().flip().position(from));
            }
        }
    }

    /** Receives and checks the CRC of a message, if there are CRCs. */
    void endReceive() throws IOException {
        if (receivedCrc != null) {
            int wanted = (int) receivedCrc.getValue();
            received.clear().limit(TRAILER);
            receiveRaw(received);
            if (received.getInt(0) != wanted) {
                throw new IOException("a message has a wrong CRC");
            }
        }
    }

    /** Fills memory with bytes that no CRC covers. */
    void receiveRaw(ByteBuffer memory) throws IOException {
        while (memory.hasRemaining()) {
            receiveSome(memory);
        }
    }

    private void receiveSome(ByteBuffer memory) throws IOException {
        if (channel.read(memory) < 0) {
            throw new IOException("the peer closed the connection");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
