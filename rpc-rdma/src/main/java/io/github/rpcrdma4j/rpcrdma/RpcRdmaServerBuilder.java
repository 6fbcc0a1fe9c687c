package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.session.ServerThreads;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * The settings of a server, and the way to start it. Every setting has a default that suits most
 * programs. A setting out of its range is refused when the server starts, with {@link
 * IllegalArgumentException}. A builder is used by one thread.
 */
public final class RpcRdmaServerBuilder {
    private final RpcRdmaOptions.Builder options = RpcRdmaOptions.DEFAULT.toBuilder();
    private final List<RpcProgram> programs = new ArrayList<>();
    private final List<Authenticator> authenticators = new ArrayList<>();
    private RpcDispatcher dispatcher;
    private RdmaProvider provider;
    private InetSocketAddress address = new InetSocketAddress(RpcRdmaServer.NFS_PORT);
    private long memoryBytes = RpcRdmaServer.MEMORY_BYTES;
    private int pollers = ServerThreads.POLLERS_MAX;
    private Executor callExecutor;

    RpcRdmaServerBuilder() {}

    /**
     * The provider that moves the bytes. Default: the one that {@link java.util.ServiceLoader}
     * finds; all clients and servers of the process share it ({@link RdmaProvider#shared}). Pass
     * another to give it options, or to choose between several.
     */
    public RpcRdmaServerBuilder provider(RdmaProvider changed) {
        provider = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Where to listen; port 0 picks a free port, see {@link RpcRdmaServer#address}. Default: port
     * 20049, that of NFS over RDMA, on all interfaces.
     */
    public RpcRdmaServerBuilder address(InetSocketAddress changed) {
        address = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Adds a program to serve, with its bindings. At least one is needed, or a {@link #dispatcher}.
     * Two programs may have one number, if they have no version in common.
     */
    public RpcRdmaServerBuilder program(RpcProgram added) {
        programs.add(Objects.requireNonNull(added));
        return this;
    }

    /** Adds several programs, as {@link #program} does. */
    public RpcRdmaServerBuilder programs(Collection<? extends RpcProgram> added) {
        programs.addAll(added);
        return this;
    }

    /**
     * Adds an authenticator, such as {@link io.github.rpcrdma4j.oncrpc.gss.GssServer} for Kerberos.
     * Default: none; callers have AUTH_NONE and AUTH_SYS, which prove nothing.
     */
    public RpcRdmaServerBuilder authenticator(Authenticator added) {
        authenticators.add(Objects.requireNonNull(added));
        return this;
    }

    /**
     * Serves what a dispatcher has, in place of single programs and authenticators: for servers of
     * several transports, which then know a call that comes by one and again by another.
     */
    public RpcRdmaServerBuilder dispatcher(RpcDispatcher changed) {
        dispatcher = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * How many calls of one connection may be in progress at a time: what the server grants, 1 to
     * 16384. Default: 64. Each credit costs a posted receive for every connection.
     */
    public RpcRdmaServerBuilder credits(int changed) {
        options.credits(changed);
        return this;
    }

    /**
     * How many calls back a program may have outstanding on one connection, 1 to 16384 (RFC 8167,
     * Section 4.1). Default: 16.
     */
    public RpcRdmaServerBuilder callBackCredits(int changed) {
        options.reverseCredits(changed);
        return this;
    }

    /**
     * The inline thresholds: the longest Send to make and to take, in bytes, each a multiple of
     * 1024 from 1024 to 262144 (RFC 8166, Section 3.3.2). Default: 5120 each, so that 4096 bytes
     * and what is around them travel in one Send. Larger ones spare chunks, and cost memory: every
     * posted receive of every connection is as long as {@code receive}.
     */
    public RpcRdmaServerBuilder inlineThresholds(int send, int receive) {
        options.inlineSend(send).inlineReceive(receive);
        return this;
    }

    /**
     * Whether the server invalidates handles of clients with its replies, where a client allows it
     * (RFC 8797, Section 4.1). Default: true.
     */
    public RpcRdmaServerBuilder remoteInvalidation(boolean changed) {
        options.remoteInvalidation(changed);
        return this;
    }

    /**
     * The most bytes of Read chunks that are fetched for one call. Default: 8 MiB. A call with more
     * gets ERR_CHUNK. No more than {@link #fetchedBytesPerConnection}.
     */
    public RpcRdmaServerBuilder fetchedBytesPerCall(long changed) {
        options.callBytesMax(changed);
        return this;
    }

    /**
     * The most bytes of Read chunks that are fetched at a time for one connection. Default: 64 MiB.
     * Calls beyond it wait.
     */
    public RpcRdmaServerBuilder fetchedBytesPerConnection(long changed) {
        options.connectionBytesMax(changed);
        return this;
    }

    /** The most connections at a time; more are refused. Default: 4096. */
    public RpcRdmaServerBuilder connectionsMax(int changed) {
        options.connectionsMax(changed);
        return this;
    }

    /**
     * What one client may use at a time, over all its connections. A client is an IPv4 address or
     * the /64 of an IPv6 address. Connections beyond it are refused, calls beyond it wait.
     *
     * @param connections default: 1024
     * @param calls in progress; default: 4096
     * @param bytes of posted receives, Read chunks, memory for results, and replies that wait to be
     *     fetched; default: 1 GiB
     */
    public RpcRdmaServerBuilder limitsPerClient(int connections, int calls, long bytes) {
        var old = options.peerLimits();
        options.peerLimits(
                new PeerLimits(connections, calls, bytes, old.takeTimeout(), old.giveTimeout()));
        return this;
    }

    /**
     * How long a peer may do nothing of what it owes; then its connection is closed.
     *
     * @param sends how long it may take nothing of what was sent to it; default: 30 seconds
     * @param reads how long an RDMA Read may wait for its data; default: 30 seconds
     */
    public RpcRdmaServerBuilder stallTimeouts(Duration sends, Duration reads) {
        var old = options.peerLimits();
        options.peerLimits(
                new PeerLimits(old.connectionsMax(), old.callsMax(), old.bytesMax(), sends, reads));
        return this;
    }

    /**
     * How long a connection may have neither a call in progress nor a message until it is closed;
     * it is closed earlier if another connection needs its memory. Default: 6 minutes. A Linux
     * client gives an idle connection up after five.
     */
    public RpcRdmaServerBuilder idleTimeout(Duration changed) {
        options.idleTimeout(changed);
        return this;
    }

    /**
     * How the server speaks on the wire. Default: version 1 by RFC 8166. Other modules bring other
     * profiles, which {@link WireProfile#find} finds by name.
     */
    public RpcRdmaServerBuilder profile(WireProfile changed) {
        options.profile(changed);
        return this;
    }

    /**
     * The most native memory that the server keeps for receives, arguments and results, in bytes.
     * Default: 256 MiB. When it is used up, calls wait and connections are refused.
     */
    public RpcRdmaServerBuilder memory(long bytes) {
        memoryBytes = bytes;
        return this;
    }

    /**
     * How many threads poll the connections, between them. Default: as many as there are
     * processors, and 4 at the most. More help only where very many calls are served by the pollers
     * themselves.
     */
    public RpcRdmaServerBuilder pollers(int changed) {
        if (changed < 1) {
            throw new IllegalArgumentException("at least one thread has to poll: " + changed);
        }
        pollers = changed;
        return this;
    }

    /**
     * Carries out calls, except those that pollers may run, on an executor of the caller, which
     * needs a thread for each of them. Default: virtual threads, and platform threads for
     * procedures that wait in system calls. The server does not close the executor; when it closes,
     * it interrupts the threads that carry out its calls.
     */
    public RpcRdmaServerBuilder callExecutor(Executor changed) {
        callExecutor = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Starts the server.
     *
     * @throws RdmaException if the address cannot be bound
     * @throws IllegalArgumentException if a setting is out of its range, two exclude each other, or
     *     two programs have a number and a version in common
     * @throws IllegalStateException if there is no program, or no provider was set and none is
     *     found
     */
    public RpcRdmaServer start() throws RdmaException {
        return RpcRdmaServer.start(
                new RpcRdmaServer.Parts(
                        provider == null ? RdmaProvider.shared() : provider,
                        address,
                        served(),
                        options.build(),
                        new SegmentPool(memoryBytes),
                        pollers,
                        Optional.ofNullable(callExecutor)));
    }

    private RpcDispatcher served() {
        if (dispatcher == null) {
            if (programs.isEmpty()) {
                throw new IllegalStateException("a server needs a program to serve");
            }
            return new RpcDispatcher(programs, authenticators);
        }
        if (!programs.isEmpty() || !authenticators.isEmpty()) {
            throw new IllegalStateException(
                    "a server has either a dispatcher, or programs and authenticators");
        }
        return dispatcher;
    }
}
