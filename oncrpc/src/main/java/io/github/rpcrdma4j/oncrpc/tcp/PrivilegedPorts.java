package io.github.rpcrdma4j.oncrpc.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The ports below 1024, which only privileged processes may use. A server that trusts AUTH_SYS
 * often accepts it from such ports alone. The range is that of the Linux client.
 */
public final class PrivilegedPorts {
    private static final int LEAST = 665;
    private static final int END = 1024;
    private static final int COUNT = END - LEAST;

    private PrivilegedPorts() {}

    /** Returns whether only privileged processes may use a port. */
    public static boolean contain(int port) {
        return port < END;
    }

    /** Returns whether this process may use such a port, and one is free. */
    public static boolean areUsable() {
        for (int port : toTry(OptionalInt.of(0))) {
            try (var channel = SocketChannel.open()) {
                channel.bind(new InetSocketAddress(port));
                return true;
            } catch (IOException _) {
                // It is taken, or not allowed.
            }
        }
        return false;
    }

    /**
     * Returns the ports to try, in their order.
     *
     * @param seed chooses the first one; empty: no ports
     */
    static int[] toTry(OptionalInt seed) {
        int[] ports = new int[seed.isPresent() ? COUNT : 0];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = LEAST + (Math.floorMod(seed.getAsInt(), COUNT) + i) % COUNT;
        }
        return ports;
    }

    /**
     * Binds a channel to a port that it gives up as soon as it is closed. Otherwise each closed
     * connection would keep its port for a minute, and there are few.
     *
     * @param from the address; empty: the system chooses
     * @throws IOException if the port is taken or not allowed
     */
    static void bind(SocketChannel channel, Optional<InetAddress> from, int port)
            throws IOException {
        // Without an address, it is that of any interface.
        channel.bind(new InetSocketAddress(from.orElse(null), port));
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    }
}
