package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The registrations of one server at an rpcbind, in the newest version that the rpcbind supports.
 * Not thread-safe. Each method may use another connection to the rpcbind.
 */
public final class Registrations {
    private static final int[] VERSIONS = {RpcbindClient.VERSION_4, RpcbindClient.VERSION_3};

    private interface Removal {
        boolean from(RpcClient rpcbind) throws RpcException, InterruptedException;
    }

    private final String owner;
    private final Duration timeout;
    private final List<Removal> removals = new ArrayList<>();

    /**
     * Creates an empty set of registrations.
     *
     * @param owner the user that registers, as text
     * @param timeout the bound on each call
     */
    public Registrations(String owner, Duration timeout) {
        this.owner = owner;
        this.timeout = timeout;
    }

    /**
     * Registers a program that listens over TCP. A server that listens on all IPv6 interfaces is
     * registered for IPv4 and IPv6.
     *
     * @param rpcbind a connection to the rpcbind
     * @return the refused registrations, as text for a user: another registration exists, or the
     *     caller lacks permission
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public List<String> addTcp(
            RpcClient rpcbind, int program, int version, InetSocketAddress listener)
            throws RpcException, InterruptedException {
        return addAll(rpcbind, program, version, listener, Netid::tcp);
    }

    /**
     * Registers a program that listens over UDP, as {@link #addTcp} does.
     *
     * @param rpcbind a connection to the rpcbind
     * @return the refused registrations, as text for a user
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public List<String> addUdp(
            RpcClient rpcbind, int program, int version, InetSocketAddress listener)
            throws RpcException, InterruptedException {
        return addAll(rpcbind, program, version, listener, Netid::udp);
    }

    /**
     * Registers a program that listens over RDMA (RFC 5666-10-1). Version 2 of rpcbind cannot
     * express such a registration.
     *
     * @param rpcbind a connection to the rpcbind
     * @return the refused registrations, as text for a user
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public List<String> addRdma(
            RpcClient rpcbind, int program, int version, InetSocketAddress listener)
            throws RpcException, InterruptedException {
        return addAll(rpcbind, program, version, listener, Netid::rdma);
    }

    private List<String> addAll(
            RpcClient rpcbind,
            int program,
            int version,
            InetSocketAddress listener,
            Function<InetAddress, Netid> netid)
            throws RpcException, InterruptedException {
        var refused = new ArrayList<String>();
        for (var address : ofEachFamily(listener)) {
            add(rpcbind, program, version, netid.apply(address.getAddress()), address)
                    .ifPresent(refused::add);
        }
        return refused;
    }

    /**
     * Returns the addresses to register. An IPv6 socket that is bound to all interfaces also
     * accepts IPv4.
     */
    private static List<InetSocketAddress> ofEachFamily(InetSocketAddress listener) {
        if (!(listener.getAddress() instanceof Inet6Address six) || !six.isAnyLocalAddress()) {
            return List.of(listener);
        }
        var four = InetAddress.ofLiteral("0.0.0.0");
        return List.of(new InetSocketAddress(four, listener.getPort()), listener);
    }

    private Optional<String> add(
            RpcClient rpcbind, int program, int version, Netid netid, InetSocketAddress listener)
            throws RpcException, InterruptedException {
        var address = UniversalAddress.format(listener);
        var registration = new Rpcb(program, version, netid.word(), address, owner);
        var words = "program %d version %d over %s".formatted(program, version, netid.word());
        for (int spoken : VERSIONS) {
            try {
                if (!new RpcbindClient(rpcbind, spoken, timeout).set(registration)) {
                    return Optional.of(words);
                }
                removals.add(
                        later -> new RpcbindClient(later, spoken, timeout).unset(registration));
                return Optional.empty();
            } catch (RpcException.Refused refused) {
                if (refused.status() != AcceptStatus.PROG_MISMATCH) {
                    throw refused;
                }
            }
        }
        var protocol =
                switch (netid) {
                    case TCP -> OptionalInt.of(Mapping.TCP);
                    case UDP -> OptionalInt.of(Mapping.UDP);
                    case TCP6, UDP6, RDMA, RDMA6 -> OptionalInt.empty();
                };
        if (protocol.isEmpty()) {
            return Optional.of(words);
        }
        var mapping = new Mapping(program, version, protocol.getAsInt(), listener.getPort());
        if (!new RpcbindClient(rpcbind, VERSIONS[0], timeout).set(mapping)) {
            return Optional.of(words);
        }
        removals.add(later -> new RpcbindClient(later, VERSIONS[0], timeout).unset(mapping));
        return Optional.empty();
    }

    /** Returns the number of registrations. */
    public int count() {
        return removals.size();
    }

    /**
     * Removes the registrations that this object made, and no others.
     *
     * @throws RpcException if the call failed, or its reply was malformed
     */
    public void removeAll(RpcClient rpcbind) throws RpcException, InterruptedException {
        while (!removals.isEmpty()) {
            removals.removeLast().from(rpcbind);
        }
    }
}
