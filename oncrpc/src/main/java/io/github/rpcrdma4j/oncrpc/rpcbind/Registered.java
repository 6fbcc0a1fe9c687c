package io.github.rpcrdma4j.oncrpc.rpcbind;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Optional;

/**
 * What rpcbind has of a program on a transport, and whether a server of this host may take its
 * place.
 *
 * @param registration as rpcbind tells it; its owner is what rpcbind knows of the process
 */
record Registered(Rpcb registration) {
    /** What rpcbind calls root. */
    static final String SUPERUSER = "superuser";

    private static final int PROBE_MILLIS = (int) Duration.ofSeconds(1).toMillis();

    /** Returns whether it is of a user who is neither root nor the given one. */
    boolean isForeign(String owner) {
        return !registration.owner().equals(SUPERUSER) && !registration.owner().equals(owner);
    }

    /** Returns whether it is about an address. */
    boolean isAt(String address) {
        return registration.address().equals(address);
    }

    /**
     * Returns whether nobody listens there any more. A server of RDMA may listen where TCP shows
     * nothing, so that of another port is never taken for gone.
     *
     * @param own where the new server listens by the same transport: an earlier one that had this
     *     port has ended
     */
    boolean isStale(Netid netid, InetSocketAddress own) {
        var parsed = UniversalAddress.parse(registration.address());
        if (parsed.isEmpty()) {
            return true;
        }
        var there = parsed.get();
        if (there.getPort() == own.getPort() && overlap(there.getAddress(), own.getAddress())) {
            return true;
        }
        try {
            if (!isOfThisHost(there.getAddress())) {
                return true;
            }
            return switch (netid) {
                case TCP, TCP6 -> refuses(there);
                case UDP, UDP6 -> isFree(there);
                case RDMA, RDMA6 -> false;
            };
        } catch (IOException _) {
            return false;
        }
    }

    private static boolean overlap(InetAddress one, InetAddress other) {
        return one.isAnyLocalAddress() || other.isAnyLocalAddress() || one.equals(other);
    }

    private static boolean isOfThisHost(InetAddress address) throws SocketException {
        return address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || NetworkInterface.getByInetAddress(address) != null;
    }

    private static boolean refuses(InetSocketAddress there) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(reachable(there), PROBE_MILLIS);
            return false;
        } catch (ConnectException _) {
            return true;
        }
    }

    /** Returns where one that listens on all interfaces is reached. */
    private static InetSocketAddress reachable(InetSocketAddress there) {
        if (!there.getAddress().isAnyLocalAddress()) {
            return there;
        }
        var loopback = there.getAddress() instanceof Inet6Address ? "::1" : "127.0.0.1";
        return new InetSocketAddress(InetAddress.ofLiteral(loopback), there.getPort());
    }

    private static boolean isFree(InetSocketAddress there) throws IOException {
        var family =
                there.getAddress() instanceof Inet6Address
                        ? StandardProtocolFamily.INET6
                        : StandardProtocolFamily.INET;
        try (var channel = DatagramChannel.open(family)) {
            channel.bind(there);
            return true;
        }
    }

    /** Returns the registration of a program on a transport. */
    static Optional<Registered> find(Iterable<Rpcb> all, Rpcb wanted) {
        for (var each : all) {
            if (each.program() == wanted.program()
                    && each.version() == wanted.version()
                    && each.netid().equals(wanted.netid())) {
                return Optional.of(new Registered(each));
            }
        }
        return Optional.empty();
    }

    /** Returns what it is, for an operator. */
    @Override
    public String toString() {
        return registration.address() + " of " + registration.owner();
    }
}
