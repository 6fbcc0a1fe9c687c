package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.oncrpc.RpcException;
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
 * A registration that rpcbind has of a program on a transport.
 *
 * @param rpcb as rpcbind tells it; its owner is what rpcbind knows of the process
 */
record Registration(Rpcb rpcb) {
    /** What rpcbind calls root. */
    static final String SUPERUSER = "superuser";

    private static final int PROBE_MILLIS = (int) Duration.ofSeconds(1).toMillis();

    /** Returns whether it is of a user who is neither root nor the given one. */
    boolean isForeign(String owner) {
        return !rpcb.owner().equals(SUPERUSER) && !rpcb.owner().equals(owner);
    }

    /** Returns whether it is about an address. */
    boolean isAt(String address) {
        return rpcb.address().equals(address);
    }

    /**
     * Returns whether nobody listens there any more. A server of RDMA may listen where TCP shows
     * nothing, so that of another port is never taken for gone.
     *
     * @param own where the new server listens by the same transport: an earlier one that had this
     *     port has ended
     */
    boolean isStale(Netid netid, InetSocketAddress own) {
        var parsed = UniversalAddress.parse(rpcb.address());
        if (parsed.isEmpty()) {
            return true;
        }
        var address = parsed.get();
        if (address.getPort() == own.getPort() && overlap(address.getAddress(), own.getAddress())) {
            return true;
        }
        try {
            if (!isOfThisHost(address.getAddress())) {
                return true;
            }
            return switch (netid) {
                case TCP, TCP6 -> refuses(address);
                case UDP, UDP6 -> isFree(address);
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

    /**
     * Returns the registration of a program on a transport. Any user of a host may have registered
     * many others.
     *
     * @throws RpcException if the call failed, or its reply was malformed or too long
     */
    static Optional<Registration> find(RpcbindClient rpcbind, Rpcb wanted)
            throws RpcException, InterruptedException {
        return rpcbind
                .registrations(
                        each ->
                                each.program() == wanted.program()
                                        && each.version() == wanted.version()
                                        && each.netid().equals(wanted.netid()))
                .stream()
                .findFirst()
                .map(Registration::new);
    }

    /** Returns what it is, for an operator. */
    @Override
    public String toString() {
        return rpcb.address() + " of " + rpcb.owner();
    }
}
