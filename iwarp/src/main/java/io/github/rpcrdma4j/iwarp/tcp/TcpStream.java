package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** The TCP connection of a queue pair; a tap sees what it carries. */
final class TcpStream {
    private static final int IDLE_SECONDS = 30;
    private static final int PROBE_SECONDS = 10;
    private static final int PROBES = 3;

    /** What is read and thrown away at the end, in pieces. */
    private static final int DISCARDS_MAX = 16;

    private static final int DISCARD_BYTES = 1 << 16;

    private final SocketChannel channel;
    private final IwarpTap.Wire wire;
    private final ScatteringByteChannel incoming;
    private final GatheringByteChannel outgoing;

    /**
     * @param channel connected
     * @param initiator whether this side opened it
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
     * Makes a channel non-blocking and sets its options: nothing waits for more to send, and a peer
     * that lost its power is noticed.
     *
     * <p>A peer that vanishes says nothing. When nothing is on its way to it, keep-alive probes
     * find out, a minute after the last byte; when something is, TCP gives up after its own limit
     * of retransmissions, on Linux about a quarter of an hour.
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

    /** For options, selectors and the end. */
    SocketChannel channel() {
        return channel;
    }

    ScatteringByteChannel incoming() {
        return incoming;
    }

    GatheringByteChannel outgoing() {
        return outgoing;
    }

    /** Says that there is no more, and closes without waiting; what was sent last arrives. */
    void finish() {
        try {
            channel.shutdownOutput();
            // Unread bytes would turn the close into a reset, which can overtake what was sent
            // last.
            var discarded = ByteBuffer.allocate(DISCARD_BYTES);
            for (int i = 0; i < DISCARDS_MAX && channel.read(discarded.clear()) > 0; i++) {}
        } catch (IOException _) {
            // The peer is gone already.
        } finally {
            close();
        }
    }

    /** Closes without waiting, whatever the state. */
    void close() {
        closeQuietly(channel);
        wire.closed();
    }

    static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException _) {
            // It is of no use either way.
        }
    }
}
