package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.RepeatedCalls;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Joins the clients of one transport with a server behind another one. Each client connection has
 * one connection to the server, and ends with it. The gateway reconnects for no client. It keeps
 * the replies to calls that are not repeatable, so that it passes no such call on twice while it
 * knows the reply ({@link RepeatedCalls}). Nothing else outlives a connection. Thread-safe.
 *
 * <p>The calls of all clients share a bounded room ({@link GatewayLimits}). A client that does not
 * read its replies keeps at most the half of it that it had, and delays only itself.
 *
 * <p>The server sees one address, that of the gateway, and its export rules apply to that. Two
 * things of that address no client gets: calls reach the server from a port below 1024 only if the
 * client had that, too ({@link ServedPeer#isPrivileged}), and the XIDs of each host are its own
 * there, so that no client gets the reply to a call of another one.
 */
public final class Gateway implements CallService {
    /**
     * How long a connection to the server outlives that of its client, for the replies to calls
     * that the client may send again.
     */
    private static final Duration DRAIN = Duration.ofSeconds(30);

    /** The most connections that outlive those of their clients. */
    private static final int DRAINING_MAX = 64;

    /** The part of the memory budget of the process that replies may take. */
    private static final int BUDGET_PART = 4;

    private static final int KEY_BYTES = 32;

    private final Upstream upstream;
    private final GatewayLimits limits;
    private final PassedOn programs;
    private final UpstreamXids.OfHosts xids;
    private final CallRoom room;
    private final RepeatedCalls repeated = new RepeatedCalls(System::nanoTime);
    private final Semaphore draining = new Semaphore(DRAINING_MAX);
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
        this(upstream, limits, others, UpstreamXids.keyed(key));
    }

    Gateway(
            Upstream upstream,
            GatewayLimits limits,
            Set<Integer> others,
            UpstreamXids.OfHosts xids) {
        this.upstream = upstream;
        this.limits = limits;
        this.programs = new PassedOn(others);
        this.xids = xids;
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

    /** Runs an action that may wait. */
    private static void apart(Runnable action) {
        Thread.startVirtualThread(action);
    }

    /**
     * Opens the connection to the server for a client.
     *
     * @throws IOException if the server cannot be reached; the client is to be turned away
     */
    @Override
    public CallHandler connected(ServedPeer client) throws IOException, InterruptedException {
        var address = ClientAddress.of(client.address());
        var share = room.share(address);
        // They pass the calls that wait: the server may answer those only after its own calls.
        var shareBack = CallRoom.unlimited().share(address);
        // Callbacks use the connection of the client (RFC 8267-6.5.2-1), over RDMA as short
        // messages alone (RFC 8267-6.5.2-3).
        var callBacks =
                new PassedCalls(
                        client.reverse(),
                        new PassedCalls.Rules(_ -> true, UpstreamXids.SAME, limits),
                        shareBack,
                        reason -> client.close("call back: " + reason));
        RpcTransport server;
        try {
            server =
                    upstream.connect(
                            client.address(),
                            client.isPrivileged() && programs.areKnown(),
                            callBacks,
                            () ->
                                    apart(
                                            () ->
                                                    client.close(
                                                            "the connection to the server has"
                                                                    + " ended")));
        } catch (IOException unreachable) {
            connectionsFailed.increment();
            throw unreachable;
        }
        connections.increment();
        var calls =
                new RememberedCalls(
                        new PassedCalls(
                                server,
                                new PassedCalls.Rules(
                                        programs::contain, xids.of(client.address()), limits),
                                share,
                                client::close),
                        repeated);
        client.whenEnded(
                () ->
                        apart(
                                () -> {
                                    shareBack.end();
                                    share.end();
                                    ended(client, server, calls);
                                }));
        return calls;
    }

    /** Ends the connection to the server after that of its client. */
    private void ended(ServedPeer client, RpcTransport server, RememberedCalls calls) {
        if (client.hasLeftInOrder() && calls.areIdle()) {
            repeated.left(client.address());
        } else if (draining.tryAcquire()) {
            try {
                calls.awaitRemembered(DRAIN);
            } finally {
                draining.release();
            }
        }
        server.close();
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
