package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
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
 * Holds the settings of a server and starts it. Every setting has a default that suits most
 * programs. If a setting is out of its range, the start fails with {@link
 * IllegalArgumentException}; a few settings throw it at once, and say so. Only one thread may use a
 * builder.
 *
 * <p>Tests: {@code BuildersTest}, {@code SettingsTest}.
 */
public final class RpcRdmaServerBuilder {
    private final RpcRdmaOptions.Builder options = RpcRdmaOptions.DEFAULT.toBuilder();
    private final List<RpcProgram> programs = new ArrayList<>();
    private final List<Authenticator> authenticators = new ArrayList<>();
    private CallService calls;
    private RdmaProvider provider;
    private List<InetSocketAddress> addresses =
            List.of(new InetSocketAddress(RpcRdmaServer.NFS_PORT));
    private long keptBytes = RpcRdmaServer.KEPT_BYTES;
    private int pollers = ServerThreads.POLLERS_MAX;
    private Executor callExecutor;

    RpcRdmaServerBuilder() {}

    /**
     * Sets the RDMA provider. Default: the one that {@link java.util.ServiceLoader} finds; all
     * clients and servers of the process share it ({@link RdmaProvider#shared}). Set one to give it
     * options, or to choose between several.
     */
    public RpcRdmaServerBuilder provider(RdmaProvider changed) {
        provider = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Sets the address to listen on. Port 0 picks a free port, see {@link RpcRdmaServer#address}.
     * Default: port 20049, which is NFS over RDMA, on all interfaces.
     */
    public RpcRdmaServerBuilder address(InetSocketAddress changed) {
        return addresses(List.of(changed));
    }

    /**
     * Sets several addresses to listen on. The server listens on all of them or does not start, and
     * its limits hold for all connections together. {@link RpcRdmaServer#address} is then the first
     * one.
     *
     * @throws IllegalArgumentException at once, if there is none
     */
    public RpcRdmaServerBuilder addresses(List<InetSocketAddress> changed) {
        if (changed.isEmpty()) {
            throw new IllegalArgumentException("a server needs an address to listen on");
        }
        addresses = List.copyOf(changed);
        return this;
    }

    /**
     * Adds a program to serve, with its bindings. A server needs at least one program, or a {@link
     * #dispatcher}. Two programs may share a number if they have no version in common.
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
     * Default: none; callers then use AUTH_NONE and AUTH_SYS, which prove nothing.
     */
    public RpcRdmaServerBuilder authenticator(Authenticator added) {
        authenticators.add(Objects.requireNonNull(added));
        return this;
    }

    /**
     * Sets a dispatcher in place of single programs and authenticators. A server of several
     * transports shares one dispatcher between them, which then recognizes a call that is repeated
     * on another transport.
     */
    public RpcRdmaServerBuilder dispatcher(RpcDispatcher changed) {
        return calls(changed);
    }

    /**
     * Sets a service that gives each connection the handler of its calls, in place of programs. A
     * gateway is such a service.
     */
    public RpcRdmaServerBuilder calls(CallService changed) {
        calls = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Sets the credits that the server grants on one connection, which limit its calls in progress:
     * 1 to 16384. Default: 64. Each credit costs one posted receive on every connection.
     */
    public RpcRdmaServerBuilder credits(int changed) {
        options.credits(changed);
        return this;
    }

    /**
     * Sets how many calls to the client may be outstanding on one connection: 1 to 16384 (RFC 8167,
     * Section 4.1). Default: 16.
     */
    public RpcRdmaServerBuilder callBackCredits(int changed) {
        options.callBackCredits(changed);
        return this;
    }

    /**
     * Sets the inline thresholds: the longest Send to make and to accept, in bytes. Each is a
     * multiple of 1024 from 1024 to 262144 (RFC 8166, Section 3.3.2). Default: 5120 each, so that
     * one Send carries 4096 bytes of data and their headers. Larger thresholds avoid chunks but
     * cost memory: every posted receive of every connection has {@code receive} bytes.
     */
    public RpcRdmaServerBuilder inlineThresholds(int send, int receive) {
        options.inlineSend(send).inlineReceive(receive);
        return this;
    }

    /**
     * Sets whether the replies of the server invalidate handles of clients that allow it (RFC 8797,
     * Section 4.1). Default: true. They do not where a handle of the provider is not a memory
     * window of type 2.
     */
    public RpcRdmaServerBuilder remoteInvalidation(boolean changed) {
        options.remoteInvalidation(changed);
        return this;
    }

    /**
     * Sets the most bytes of Read chunks that the server fetches for one call. Default: 8 MiB. The
     * server answers a call with more by ERR_CHUNK. The limit must not exceed {@link
     * #fetchedBytesPerConnection}.
     */
    public RpcRdmaServerBuilder fetchedBytesPerCall(long changed) {
        options.fetchedBytesPerCall(changed);
        return this;
    }

    /**
     * Sets the most bytes of Read chunks that the server fetches at a time for one connection.
     * Default: 64 MiB. Calls beyond the limit wait.
     */
    public RpcRdmaServerBuilder fetchedBytesPerConnection(long changed) {
        options.fetchedBytesPerConnection(changed);
        return this;
    }

    /** Sets the most connections at a time. The server refuses more. Default: 4096. */
    public RpcRdmaServerBuilder connectionsMax(int changed) {
        options.connectionsMax(changed);
        return this;
    }

    /**
     * Sets what one client may use at a time, over all its connections. A client is an IPv4 address
     * or the /64 of an IPv6 address. The server refuses connections beyond a limit, and delays
     * calls.
     *
     * @param connections default: 1024
     * @param calls in progress; default: 4096
     * @param bytes of posted receives, Read chunks, memory for results, and replies that wait to be
     *     fetched; default: 1 GiB. The server does not start if they have no room for one
     *     connection with one call.
     * @throws IllegalArgumentException at once, if one of them is less than 1
     */
    public RpcRdmaServerBuilder limitsPerClient(int connections, int calls, long bytes) {
        var old = options.peerLimits();
        options.peerLimits(
                new PeerLimits(connections, calls, bytes, old.sendTimeout(), old.readTimeout()));
        return this;
    }

    /**
     * Sets how long a peer may stall outstanding work before the server closes its connection.
     *
     * @param sends how long the peer may accept nothing that was sent to it; default: 30 seconds
     * @param reads how long an RDMA Read may wait for its data; default: 30 seconds
     * @throws IllegalArgumentException at once, if one of them is not positive
     */
    public RpcRdmaServerBuilder stallTimeouts(Duration sends, Duration reads) {
        var old = options.peerLimits();
        options.peerLimits(
                new PeerLimits(old.connectionsMax(), old.callsMax(), old.bytesMax(), sends, reads));
        return this;
    }

    /**
     * Sets how long a connection may be idle: without a call in progress, and without a message.
     * The server then closes it, or earlier if another connection needs its memory. Default: 6
     * minutes. A Linux client closes an idle connection after five.
     */
    public RpcRdmaServerBuilder idleTimeout(Duration changed) {
        options.idleTimeout(changed);
        return this;
    }

    /**
     * Sets the wire profile of the server. Default: version 1 by RFC 8166. Other modules have other
     * profiles, which {@link WireProfile#find} finds by name.
     */
    public RpcRdmaServerBuilder profile(WireProfile changed) {
        options.profile(changed);
        return this;
    }

    /**
     * Sets how much free native memory the server keeps for later calls, in bytes. Default: 256
     * MiB. Less memory means more allocations. This is no limit on memory in use: that is the
     * budget of the process, {@link io.github.rpcrdma4j.memory.MemoryBudget#process}.
     *
     * @throws IllegalArgumentException at once, if it is negative
     */
    public RpcRdmaServerBuilder keptMemory(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("keptMemory must not be negative: " + bytes);
        }
        keptBytes = bytes;
        return this;
    }

    /**
     * Sets the most threads that poll the connections. Default: 4. The server starts no more than
     * one per processor. More threads help only if the polling threads themselves run very many
     * calls.
     *
     * @throws IllegalArgumentException at once, if it is less than 1
     */
    public RpcRdmaServerBuilder pollers(int changed) {
        if (changed < 1) {
            throw new IllegalArgumentException("pollers must be at least 1: " + changed);
        }
        pollers = changed;
        return this;
    }

    /**
     * Sets the executor that runs calls, except those that the polling threads run. The executor
     * needs one thread per concurrent call. Default: virtual threads, and platform threads for
     * procedures that wait in system calls. The server does not close the executor; when it closes,
     * it interrupts the threads that run its calls.
     */
    public RpcRdmaServerBuilder callExecutor(Executor changed) {
        callExecutor = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Starts the server.
     *
     * @throws RdmaException if an address cannot be bound
     * @throws IllegalArgumentException if a setting is out of its range, two exclude each other, or
     *     two programs have a number and a version in common
     * @throws IllegalStateException if there is no program, or no provider was set and none is
     *     found
     */
    public RpcRdmaServer start() throws RdmaException {
        return RpcRdmaServer.start(parts());
    }

    /**
     * Returns the objects of the server to start.
     *
     * @throws IllegalArgumentException if a setting is out of its range, or two exclude each other
     * @throws IllegalStateException if there is no program or no provider
     */
    RpcRdmaServer.Parts parts() {
        var used = provider == null ? RdmaProvider.shared() : provider;
        return new RpcRdmaServer.Parts(
                used,
                addresses,
                served(),
                options.build().limitedTo(used),
                new SegmentPool(keptBytes),
                pollers,
                Optional.ofNullable(callExecutor));
    }

    private CallService served() {
        if (calls == null) {
            if (programs.isEmpty()) {
                throw new IllegalStateException("a server needs a program to serve");
            }
            return new RpcDispatcher(programs, authenticators);
        }
        if (!programs.isEmpty() || !authenticators.isEmpty()) {
            throw new IllegalStateException(
                    "a server has either a dispatcher, or programs and authenticators");
        }
        return calls;
    }
}
