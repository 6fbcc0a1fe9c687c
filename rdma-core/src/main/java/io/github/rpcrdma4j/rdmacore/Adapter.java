package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.Errno;
import io.github.rpcrdma4j.rdmacore.library.Layouts.PortAttributes;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An adapter of this machine, as it was at the call.
 *
 * <p>Tests: {@code AdapterConnections}, {@code ProviderOptionsTest}.
 *
 * @param name the name: {@code mlx5_0}, {@code siw0}
 * @param transport {@code iWARP}, {@code RoCE} or {@code InfiniBand}
 * @param firmware the version of its firmware, as it tells it
 * @param hasWindows whether it has memory windows of type 2, so that peers may invalidate them
 * @param gatherMax the most elements of a work request
 * @param queueMax the most work requests of a queue, for which there are completions, too
 * @param readsInMax the most RDMA Reads of a peer that it answers at once
 * @param readsOutMax the most RDMA Reads that it has outstanding
 * @param requestDataMax the most private data of a connect request, in bytes
 * @param ports its ports
 */
public record Adapter(
        String name,
        String transport,
        String firmware,
        boolean hasWindows,
        int gatherMax,
        int queueMax,
        int readsInMax,
        int readsOutMax,
        int requestDataMax,
        List<Port> ports) {
    private static final int GID_BYTES = 16;
    private static final String[] STATES = {
        "no state", "down", "initializing", "armed", "active", "active, deferred"
    };

    /** Copies the list. */
    public Adapter {
        ports = List.copyOf(ports);
    }

    /**
     * A port of an adapter.
     *
     * @param number its number, from 1
     * @param state {@code active}, {@code down}, a state between, or why the adapter does not tell
     * @param link {@code Ethernet}, {@code InfiniBand} or {@code unknown}
     * @param mtu the most bytes of a packet; 0 if unknown
     * @param gids its addresses, in the form of IPv6
     */
    public record Port(int number, String state, String link, int mtu, List<String> gids) {
        /** Copies the list. */
        public Port {
            gids = List.copyOf(gids);
        }
    }

    /** Returns why adapters cannot be used, in one line; empty if the libraries are there. */
    public static Optional<String> missing() {
        return Verbs.missing();
    }

    /** Returns why no adapter can be used, in one line; empty if one can. */
    public static Optional<String> unusable() {
        return Devices.unusable();
    }

    /**
     * Returns all adapters that can be used. The log tells why another one cannot.
     *
     * @throws IllegalStateException if the libraries are {@link #missing}
     */
    public static List<Adapter> all() {
        return Devices.all().stream().map(Adapter::of).toList();
    }

    private static Adapter of(Device device) {
        var ports = new ArrayList<Port>();
        for (int number = 1; number <= device.ports; number++) {
            ports.add(port(device, number));
        }
        var link = ports.isEmpty() ? "" : ports.getFirst().link();
        var transport = link.equals("Ethernet") ? "RoCE" : "InfiniBand";
        return new Adapter(
                device.name,
                device.isIwarp ? "iWARP" : transport,
                device.firmware(),
                device.hasWindows,
                device.gatherMax,
                device.queueMax,
                device.readsInMax,
                device.readsOutMax,
                device.requestDataMax(),
                ports);
    }

    private static Port port(Device device, int number) {
        try (var arena = Arena.ofConfined()) {
            long at = arena.allocate(PortAttributes.SIZE + GID_BYTES, 8).address();
            int error = Verbs.queryPort(device.context, number, at);
            if (error != 0) {
                return new Port(number, Errno.text(error), "unknown", 0, List.of());
            }
            int state = Memory.int32(at + PortAttributes.STATE);
            boolean isEthernet =
                    Memory.uint8(at + PortAttributes.LINK_LAYER) == Verbs.LINK_LAYER_ETHERNET;
            int mtu = Memory.int32(at + PortAttributes.ACTIVE_MTU);
            return new Port(
                    number,
                    state >= 0 && state < STATES.length ? STATES[state] : "state " + state,
                    isEthernet ? "Ethernet" : "InfiniBand",
                    mtu < 1 || mtu > 5 ? 0 : 1 << mtu + 7,
                    gids(device, number, Memory.int32(at + PortAttributes.GID_TBL_LEN)));
        }
    }

    private static List<String> gids(Device device, int port, int count) {
        var found = new ArrayList<String>();
        try (var arena = Arena.ofConfined()) {
            long gid = arena.allocate(GID_BYTES, 8).address();
            for (int i = 0; i < Math.min(count, 256); i++) {
                boolean isRead = Verbs.queryGid(device.context, port, i, gid) == 0;
                if (isRead && (Memory.int64(gid) | Memory.int64(gid + 8)) != 0) {
                    found.add(text(Memory.bytes(gid, GID_BYTES)));
                }
            }
        }
        return found;
    }

    private static String text(byte[] gid) {
        var text = new StringBuilder();
        for (int i = 0; i < gid.length; i += 2) {
            text.append(i == 0 ? "" : ":");
            text.append("%02x%02x".formatted(gid[i], gid[i + 1]));
        }
        return text.toString();
    }

    /**
     * Returns the name of the adapter that routes to an address of a peer; empty if none does.
     *
     * @throws IllegalStateException if the libraries are {@link #missing}
     */
    public static Optional<String> routeTo(InetSocketAddress peer) {
        return Routes.to(peer).map(device -> device.name);
    }

    /**
     * Returns the name of the adapter that has an address of this machine; empty if none does. For
     * the address of all interfaces, it is the first adapter.
     *
     * @throws IllegalStateException if the libraries are {@link #missing}
     */
    public static Optional<String> at(InetSocketAddress local) {
        return local.getAddress().isAnyLocalAddress()
                ? Devices.all().stream().map(device -> device.name).findFirst()
                : Routes.at(local).map(device -> device.name);
    }

    /**
     * Returns an address of this machine that an adapter has; empty if none has one.
     *
     * @throws IOException if the system does not tell its addresses
     * @throws IllegalStateException if the libraries are {@link #missing}
     */
    public static Optional<InetAddress> anyAddress() throws IOException {
        try (var interfaces = NetworkInterface.networkInterfaces()) {
            return interfaces
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                    .filter(each -> at(new InetSocketAddress(each, 0)).isPresent())
                    .findFirst();
        } catch (SocketException failure) {
            throw new IOException("the addresses of this machine are unknown", failure);
        }
    }
}
