package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SocketChannel;

/** The TCP connection that carries a queue pair's octets; if somebody wants to, he sees them. */
final class Carrier {
    private final SocketChannel channel;
    private final IwarpTap.Wire wire;
    private final ScatteringByteChannel incoming;
    private final GatheringByteChannel outgoing;

    /**
     * @param channel connected
     * @param initiator whether this side opened it
     */
    Carrier(SocketChannel channel, IwarpTap tap, boolean initiator) throws IOException {
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

    /** Closes without waiting, whatever the state. */
    void close() {
        MpaConnect.closeQuietly(channel);
        wire.closed();
    }
}
