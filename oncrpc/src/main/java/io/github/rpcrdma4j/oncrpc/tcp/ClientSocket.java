package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/** Makes the sockets of clients. */
final class ClientSocket {
    private ClientSocket() {}

    /**
     * Returns a socket that can be connected to a server.
     *
     * @param from an address of this host; empty: the system chooses
     * @throws IOException if the host does not have that address
     */
    static SocketChannel to(SocketAddress server, Optional<InetAddress> from) throws IOException {
        var channel = to(server);
        if (from.isEmpty()) {
            return channel;
        }
        try {
            return channel.bind(new InetSocketAddress(from.get(), 0));
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }

    /** Returns a socket that can be connected to a server. */
    static SocketChannel to(SocketAddress server) throws IOException {
        if (server instanceof UnixDomainSocketAddress) {
            return SocketChannel.open(StandardProtocolFamily.UNIX);
        }
        var channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            return channel;
        } catch (IOException failure) {
            channel.close();
            throw failure;
        }
    }
}
