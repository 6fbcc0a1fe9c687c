package io.github.rpcrdma4j.iwarp.tcp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/**
 * How every TCP connection is set: nothing waits for more to send, and a peer that lost its power
 * is noticed.
 *
 * <p>A peer that vanishes says nothing. When nothing is on its way to it, keep-alive probes find
 * out, a minute after the last octet; when something is, TCP gives up after its own limit of
 * retransmissions, on Linux about a quarter of an hour.
 */
final class TcpLink {
    static final int IDLE_SECONDS = 30;
    static final int PROBE_SECONDS = 10;
    static final int PROBES = 3;

    private TcpLink() {}

    /** Makes a channel non-blocking and sets its options. */
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
}
