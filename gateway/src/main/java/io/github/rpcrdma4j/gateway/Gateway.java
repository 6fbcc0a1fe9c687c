package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.RepeatedCalls;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * Joins the clients of one transport with a server behind another one. Each client connection has
 * one connection to the server from its first call on, and ends with it. The gateway reconnects for
 * no client. It keeps the replies to calls that are not repeatable, so that it passes no such call
 * on twice while it knows the reply ({@link RepeatedCalls}). Nothing else outlives a connection.
 * Thread-safe.
 *
 * <p>The calls of all clients share a bounded room ({@link GatewayLimits}). A client that does not
 * read its replies keeps at most the half of it that it had, and delays only itself.
 *
 * <p>The hosts of the clients share a bounded number of connections to the server, too ({@link
 * GatewayLimits#connectionsMax}). When all are in use, one is closed for a host that has fewer than
 * another. Connections that outlive those of their clients are shared likewise.
 *
 * <p>The server sees one address, that of the gateway, and its export rules apply to that. Two
 * things of that address no client gets: calls reach the server from a port below 1024 only if the
 * client had that, too ({@link ServedPeer#isPrivileged}), and the XIDs of each host are its own
 * there, so that no client gets the reply to a call of another one.
 *
 * <p>Tests: {@code TcpToTcpTest}, {@code SharedConnectionsTest}.
 */
public final class Gateway implements CallService {
    /**
     * How long a connection to the server outlives that of its client, for the replies to calls
     * that the client may send again.
     */
    private static final Duration DRAIN = Duration.ofSeconds(30);

    /** How long a new connection waits until one that makes room for it has ended. */
    private static final Duration CLOSING = Duration.ofSeconds(3);

    /** Gives no place back, because there is none. */
    private static final Runnable NONE = () -> {};

    /** The part of the memory budget of the process that replies may take. */
    private static final int BUDGET_PART = 4;

    private static final int KEY_BYTES = 32;

    /** Each user of this machine has all of 127.0.0.0/8: who comes over loopback is one client. */
    static final PeerIdentifier HOSTS =
            (peer, _) -> {
                var address = peer.getAddress();
                return address == null || address.isLoopbackAddress()
                        ? new PeerIdentity(
                                ClientAddress.ofUnknownLocalUsers(),
                                new PeerIdentity.Process.Unknown())
                        : PeerIdentity.ofAddress(peer);
            };

    private final Upstream upstream;
    private final GatewayLimits limits;
    private final PeerIdentifier hosts;
    private final PassedOn programs;
    private final UpstreamXids.OfHosts xids;
    private final CallRoom room;
    private final ConnectionShares shares;
    private final FailureLog failures = new FailureLog(System.getLogger(Gateway.class.getName()));
    private final RepeatedCalls repeated = new RepeatedCalls(System::nanoTime, HOSTS);

    /** The connections that outlive those of their clients. Each has the room of one call. */
    private final CallRoom draining = new CallRoom(GatewayLimits.DRAINING_MAX, 2);

    private final LongAdder connections = new LongAdder();
    private final LongAdder connectionsFailed = new LongAdder();

    /**
     * Creates a gateway for NFS, MOUNT and NFSACL, which transports ask for the handlers of their
     * connections. A server does not recognize the calls that clients repeat after a restart of
     * this process.
     *
     * @param upstream opens the connections to the server
     */
    public Gateway(Upstream upstream, GatewayLimits limits) {
        this(upstream, limits, Set.of(), randomKey());
    }

    /**
     * Creates a gateway that passes calls of more programs. With one of them, no connection to the
     * server comes from a port below 1024, because many programs believe what comes from there.
     *
     * @param upstream opens the connections to the server
     * @param others the numbers of these programs
     * @param key a secret of at least one byte, by which each host gets its own XIDs at the server:
     *     with the same key, a server recognizes repeated calls after a restart of this process
     * @throws IllegalArgumentException if the key is empty
     */
    public Gateway(Upstream upstream, GatewayLimits limits, Set<Integer> others, byte[] key) {
        this(upstream, limits, others, UpstreamXids.keyed(key), HOSTS);
    }

    Gateway(
            Upstream upstream,
            GatewayLimits limits,
            Set<Integer> others,
            UpstreamXids.OfHosts xids,
            PeerIdentifier hosts) {
        this.upstream = upstream;
        this.limits = limits;
        this.programs = new PassedOn(others);
        this.xids = xids;
        this.hosts = hosts;
        this.shares = new ConnectionShares(limits.connectionsMax(), CLOSING);
        this.room =
                new CallRoom(
                        limits.callsMax(),
                        Math.min(
                                limits.replyBytesMax(),
                                MemoryBudget.process().limit() / BUDGET_PART));
    }

    private static byte[] randomKey() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }

    /** Returns what tells the hosts apart. All clients at loopback addresses are one. */
    @Override
    public PeerIdentifier identifier() {
        return hosts;
    }

    /** Returns true: a call begins if the connection to the server can carry it at once. */
    @Override
    public boolean beginsCalls() {
        return true;
    }

    @Override
    public String longerCalls() {
        return "; --max-message of the gateway (messageMax of GatewayLimits) allows longer ones";
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return NfsBindings.ALL;
    }

    /** Returns false: the connection to the server is opened for the first call. */
    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public CallHandler connected(ServedPeer client) {
        var joined = new JoinedConnections(client);
        client.whenEnded(() -> apart(joined::ended));
        return joined.calls;
    }

    /** Runs an action that may wait. */
    private static void apart(Runnable action) {
        Thread.startVirtualThread(action);
    }

    /** The connection of a client, and the one to the server that the gateway joins with it. */
    private final class JoinedConnections
            implements ServerConnection.Opening, ConnectionShares.Holder {
        private final ServedPeer client;
        private final ClientAddress host;
        private final CallRoom.Share share;

        /** Calls back pass also if calls wait: the server may answer those only after its own. */
        private final CallRoom.Share shareBack;

        private final ServerConnection server = new ServerConnection(this);
        private final RememberedCalls calls;

        /** Gives the place back that the connection has among those of clients. */
        private final Runnable ofClient;

        /** Gives the place back that the connection to the server has now, wherever that is. */
        private final AtomicReference<Runnable> place = new AtomicReference<>(NONE);

        JoinedConnections(ServedPeer client) {
            this.client = client;
            this.host = client.identity().client();
            this.ofClient = () -> shares.giveBack(host, this);
            this.share = room.share(host);
            this.shareBack = CallRoom.unlimited().share(host);
            var rules = new PassedCalls.Rules(programs::contain, xids.of(client.address()), limits);
            this.calls =
                    new RememberedCalls(
                            new PassedCalls(server, rules, share, client::close), repeated);
        }

        /**
         * Opens the connection to the server, if the host of the client may have one more.
         *
         * @throws RpcException if not, or if the server cannot be reached; the client is to be
         *     turned away
         */
        @Override
        public RpcTransport open() throws RpcException, InterruptedException {
            boolean isOpen = false;
            try {
                takePlace();
                var opened = connect();
                connections.increment();
                isOpen = true;
                return opened;
            } catch (RpcException unreachable) {
                connectionsFailed.increment();
                failures.refused(host, client.address(), unreachable);
                throw unreachable;
            } finally {
                if (!isOpen && place.compareAndSet(ofClient, NONE)) {
                    ofClient.run();
                }
            }
        }

        private void takePlace() throws RpcException, InterruptedException {
            if (!shares.take(host, this)) {
                throw new RpcException.Unreachable(
                        "its host has its share of the %d connections to the server"
                                .formatted(limits.connectionsMax()),
                        null);
            }
            if (!place.compareAndSet(NONE, ofClient)) {
                ofClient.run();
                throw new RpcException.Unreachable("it has left", null);
            }
        }

        private RpcTransport connect() throws RpcException, InterruptedException {
            // Callbacks use the connection of the client (RFC 8267-6.5.2-1), over RDMA as short
            // messages alone (RFC 8267-6.5.2-3).
            var callBacks =
                    new PassedCalls(
                            client.reverse(),
                            new PassedCalls.Rules(_ -> true, UpstreamXids.SAME, limits),
                            shareBack,
                            reason -> client.close("call back: " + reason));
            return upstream.connect(
                    client.address(),
                    client.isPrivileged() && programs.areKnown(),
                    callBacks,
                    () -> apart(() -> client.close("the connection to the server has ended")));
        }

        @Override
        public boolean isIdle() {
            return calls.areIdle();
        }

        @Override
        public long lastUse() {
            return calls.lastUse();
        }

        @Override
        public void makeRoom() {
            apart(() -> client.close("closed to make room for a connection of another client"));
        }

        /**
         * Ends the connection to the server after that of the client. Until it has ended, it has a
         * place among those of clients, or among those that outlive that of their client.
         */
        private void ended() {
            shareBack.end();
            share.end();
            var drained = draining.share(host);
            boolean isDraining = drained.tryTake(0);
            try {
                if (isDraining) {
                    place.getAndSet(() -> drained.give(0)).run();
                }
                if (client.hasLeftInOrder() && calls.areIdle()) {
                    repeated.left(client.address());
                } else if (isDraining) {
                    calls.awaitRemembered(DRAIN);
                }
                // This waits while a call opens it.
                server.end();
            } finally {
                place.getAndSet(NONE).run();
            }
        }
    }

    /** Returns what the gateway holds, and its counters. */
    public GatewayStatistics statistics() {
        return new GatewayStatistics(
                room.calls(),
                room.waiting(),
                room.bytes(),
                repeated.repeated(),
                connections.sum(),
                connectionsFailed.sum());
    }
}
