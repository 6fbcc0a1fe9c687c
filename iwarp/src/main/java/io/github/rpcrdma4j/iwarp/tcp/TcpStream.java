package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** The TCP connection of a queue pair. A tap may observe its bytes. */
final class TcpStream {
    private static final int IDLE_SECONDS = 30;
    private static final int PROBE_SECONDS = 10;
    private static final int PROBES = 3;

    /** The most reads of DISCARD_BYTES that discard unread bytes at the end. */
    private static final int DISCARDS_MAX = 16;

    private static final int DISCARD_BYTES = 1 << 16;

    private final SocketChannel channel;
    private final IwarpTap.Wire wire;
    private final ScatteringByteChannel incoming;
    private final GatheringByteChannel outgoing;

    /**
     * Makes the stream of a connected channel, and opens its tap.
     *
     * @param channel the connected channel
     * @param initiator whether this side opened the connection
     */
    TcpStream(SocketChannel channel, IwarpTap tap, boolean initiator) throws IOException {
        this.channel = channel;
        this.wire =
                tap.opened(
                        (InetSocketAddress) channel.getLocalAddress(),
                        (InetSocketAddress) channel.getRemoteAddress(),
                        initiator);
        var ends = wire == IwarpTap.Wire.NONE ? channel : new TappedChannel(channel, wire);
        incoming = ends;
        outgoing = ends;
    }

    /**
     * Makes a channel non-blocking and sets its options: bytes are sent without delay, and the loss
     * of a silent peer is detected.
     *
     * <p>A vanished peer sends nothing. If no bytes to it are outstanding, keep-alive probes detect
     * the loss one minute after the last byte. Otherwise TCP gives up after its own limit of
     * retransmissions, on Linux after about a quarter of an hour.
     */
    static void prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, PROBE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
        }
    }

    /** Returns the channel, for options, selectors and its end. */
    SocketChannel channel() {
        return channel;
    }

    ScatteringByteChannel incoming() {
        return incoming;
    }

    GatheringByteChannel outgoing() {
        return outgoing;
    }

    /** Ends the stream and closes without waiting; bytes that were already sent arrive. */
    void finish() {
        try {
            channel.shutdownOutput();
            // Unread bytes would turn the close into a reset, which can overtake the last sent
            // bytes.
            var discarded = ByteBuffer.allocate(DISCARD_BYTES);
            for (int i = 0; i < DISCARDS_MAX && channel.read(discarded.clear()) > 0; i++) {}
        } catch (IOException _) {
            // The connection is already lost.
        } finally {
            close();
        }
    }

    /** Closes without waiting, in any state. */
    void close() {
        closeQuietly(channel);
        wire.closed();
    }

    static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // A failure to close has no consequence.
        }
    }
}
