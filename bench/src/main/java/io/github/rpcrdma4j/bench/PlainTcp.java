package io.github.rpcrdma4j.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The limit to measure against: blocking NIO, one thread a side, no framing but what is needed, no
 * checksum.
 *
 * <pre>
 *   request  operation(32) | length(32) | 56 octets | with WRITE: length octets
 *   reply    64 octets | with READ: length octets
 * </pre>
 */
final class PlainTcp implements AutoCloseable {
    static final int NULL = 0;
    static final int READ = 1;
    static final int WRITE = 2;

    private static final int HEADER = 64;

    private final SocketChannel channel;
    private final ByteBuffer header = ByteBuffer.allocateDirect(HEADER);
    private final ByteBuffer data = ByteBuffer.allocateDirect(BenchProgram.LONGEST);

    private PlainTcp(SocketChannel channel) {
        this.channel = channel;
    }

    static PlainTcp connect(int port) throws IOException {
        var channel =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return new PlainTcp(channel);
    }

    /** Serves connections, one thread each; returns the port. */
    static int serve() throws IOException {
        var server =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    var channel = server.accept();
                                    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                                    var peer = new PlainTcp(channel);
                                    Thread.ofPlatform().daemon().start(peer::answerAll);
                                }
                            } catch (IOException _) {
                                // The process is ending.
                            }
                        });
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private void answerAll() {
        try (channel) {
            while (true) {
                fill(header.clear());
                int operation = header.getInt(0);
                int length = header.getInt(4);
                header.flip();
                if (operation == WRITE) {
                    fill(data.clear().limit(length));
                }
                if (operation == READ) {
                    writeBoth(data.clear().limit(length));
                } else {
                    writeAll(header);
                }
            }
        } catch (IOException _) {
            // The client is done.
        }
    }

    /** Puts a request on the wire. */
    void send(int operation, int length) throws IOException {
        header.clear().putInt(operation).putInt(length).position(0);
        if (operation == WRITE) {
            writeBoth(data.clear().limit(length));
        } else {
            writeAll(header);
        }
    }

    /** Takes the reply to the oldest request. */
    void receive(int operation, int length) throws IOException {
        fill(header.clear());
        if (operation == READ) {
            fill(data.clear().limit(length));
        }
    }

    private void writeBoth(ByteBuffer payload) throws IOException {
        var both = new ByteBuffer[] {header, payload};
        while (payload.hasRemaining()) {
            channel.write(both);
        }
    }

    private void writeAll(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void fill(ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("closed");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
