package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * The registrations of one server at an rpcbind, in the newest version that the rpcbind supports.
 * Not thread-safe. Each method may use another connection to the rpcbind.
 *
 * <p>A registration that is already there gives way if nobody listens there any more, or, for root,
 * if it is of another user: any user of a host may register any program. Another server of root, or
 * of the same user, keeps its registrations.
 *
 * <p>An rpcbind keeps one address for each program, version and network. A server that listens at
 * several addresses registers them in turn: the first one of each network stays.
 *
 * <p>Any user may make the list of an rpcbind so long that it cannot be read. Root then registers
 * in the place of what is there. If the connection ended at the list, the call fails, and the next
 * one, on another connection, does without the list.
 */
public final class Registrations {
    private static final int[] VERSIONS = {RpcbindClient.VERSION_4, RpcbindClient.VERSION_3};

    private interface Removal {
        boolean from(RpcClient rpcbind) throws RpcException, InterruptedException;
    }

    /** What has been registered. */
    private record Registered(int program, int version, Netid netid) {}

    /** How often a registration is tried while another process registers the same again. */
    private static final int TRIES = 20;

    private final String owner;
    private final boolean isSuperuser;
    private final Duration timeout;
    private final List<Removal> removals = new ArrayList<>();
    private final Set<Registered> made = new HashSet<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /** Root does without the list of an rpcbind from then on. */
    private boolean hasUnreadableList;

    /**
     * Creates an empty set of registrations.
     *
     * @param owner the user that registers, as text
     * @param isSuperuser whether the rpcbind knows the caller as root: it does over its local
     *     socket
     * @param timeout the bound on each call
     */
    public Registrations(String owner, boolean isSuperuser, Duration timeout) {
        this.owner = owner;
        this.isSuperuser = isSuperuser;
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
            var wanted = new Registered(program, version, netid.apply(address.getAddress()));
            if (made.contains(wanted)) {
                continue;
            }
            var reason = add(rpcbind, program, version, wanted.netid, address);
            if (reason.isEmpty()) {
                made.add(wanted);
            }
            reason.ifPresent(refused::add);
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
        var words = words(registration);
        for (int spoken : VERSIONS) {
            try {
                var reason =
                        register(
                                new RpcbindClient(rpcbind, spoken, timeout),
                                netid,
                                registration,
                                listener);
                if (reason.isEmpty()) {
                    removals.add(
                            later ->
                                    remove(
                                            new RpcbindClient(later, spoken, timeout),
                                            registration));
                }
                return reason.map(each -> words + ": " + each);
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

    /**
     * Registers a program in the place of what may give way.
     *
     * @return why that is not possible; empty if it is done
     */
    private Optional<String> register(
            RpcbindClient rpcbind, Netid netid, Rpcb wanted, InetSocketAddress listener)
            throws RpcException, InterruptedException {
        boolean isSet = false;
        var seen = new ArrayList<Optional<Registration>>();
        for (int i = 0; ; i++) {
            if (hasUnreadableList) {
                return registerUnseen(rpcbind, wanted);
            }
            Optional<Registration> found;
            try {
                found = Registration.find(rpcbind, wanted);
            } catch (RpcException unreadable) {
                hasUnreadableList = isSuperuser && !(unreadable instanceof RpcException.Refused);
                if (hasUnreadableList && unreadable instanceof RpcException.BadReply) {
                    continue;
                }
                throw unreadable;
            }
            if (i > 0) {
                seen.add(found);
            }
            if (found.isPresent()) {
                var there = found.get();
                boolean isForeign = isSuperuser && there.isForeign(owner);
                // SET also succeeds if another user has registered the same, who can remove it
                // then.
                boolean isOurs = isSet && there.isAt(wanted.address());
                if (isOurs && !isForeign) {
                    return Optional.empty();
                }
                if (!isForeign && !there.isStale(netid, listener)) {
                    return Optional.of("another server has it: " + there);
                }
                if (i == TRIES) {
                    return isOurs && seen.stream().allMatch(found::equals)
                            ? takeUnderAnotherName(wanted, there)
                            : Optional.of("another user registers it again and again: " + there);
                }
                if (!rpcbind.unset(there.rpcb())) {
                    return Optional.of("it cannot be taken from " + there);
                }
                if (isForeign && !isOurs) {
                    warnings.add("rpcbind had from another user " + words(wanted) + ": " + there);
                }
            } else if (i > 0 && !isSet) {
                return Optional.of("this user may not register it");
            } else if (i == TRIES) {
                return Optional.of("another user removes it again and again");
            }
            isSet = rpcbind.set(wanted);
        }
    }

    /**
     * Takes what is there after each try for the own one: rpcbind has another name for the user.
     */
    private Optional<String> takeUnderAnotherName(Rpcb wanted, Registration there) {
        warnings.add(
                "rpcbind says that %s is of %s".formatted(words(wanted), there.rpcb().owner()));
        return Optional.empty();
    }

    /** Registers a program in the place of what is there, if anything is. Root may do so. */
    private Optional<String> registerUnseen(RpcbindClient rpcbind, Rpcb wanted)
            throws RpcException, InterruptedException {
        for (int i = 0; i < TRIES; i++) {
            rpcbind.unset(wanted);
            if (rpcbind.set(wanted)) {
                warnings.add(
                        "the list of rpcbind cannot be read: it has %s now instead of what it may"
                                        .formatted(words(wanted))
                                + " have had");
                return Optional.empty();
            }
        }
        return Optional.of("another user registers it again and again");
    }

    private static String words(Rpcb registration) {
        return "program %d version %d over %s"
                .formatted(registration.program(), registration.version(), registration.netid());
    }

    /** Removes a registration, unless another server has taken it over. */
    private static boolean remove(RpcbindClient rpcbind, Rpcb made)
            throws RpcException, InterruptedException {
        var there = Registration.find(rpcbind, made);
        return there.isPresent() && there.get().isAt(made.address()) && rpcbind.unset(made);
    }

    /**
     * Returns what an operator has to know, as text: registrations of other users that had to give
     * way, and those of which rpcbind says that they are of another user.
     */
    public List<String> warnings() {
        return List.copyOf(warnings);
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
        made.clear();
        while (!removals.isEmpty()) {
            removals.removeLast().from(rpcbind);
        }
    }
}
