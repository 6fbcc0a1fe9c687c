package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.session.CalledServer;
import io.github.rpcrdma4j.rpcrdma.session.OwnKey;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Holds the settings of a client and connects it. Every setting has a default that suits most
 * programs. If a setting is out of its range, connecting fails with {@link
 * IllegalArgumentException}. Only one thread may use a builder; it can connect any number of times.
 *
 * <p>Tests: {@code BuildersTest}, {@code SettingsTest}.
 */
public final class RpcRdmaClientBuilder {
    private final RpcRdmaOptions.Builder options = RpcRdmaOptions.DEFAULT.toBuilder();
    private final List<UpperLayerBinding> bindings = new ArrayList<>();
    private final List<RpcProgram> callBackPrograms = new ArrayList<>();
    private CallHandler callBacks;
    private Runnable whenEnded = () -> {};
    private OwnKey key = OwnKey.NONE;
    private RdmaProvider provider;
    private Credential credential = new Credential.None();

    RpcRdmaClientBuilder() {}

    /**
     * Sets the RDMA provider. Default: the one that {@link java.util.ServiceLoader} finds; all
     * clients and servers of the process share it ({@link RdmaProvider#shared}). Set one to give it
     * options, or to choose between several.
     */
    public RpcRdmaClientBuilder provider(RdmaProvider changed) {
        provider = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Sets the credential of the calls. Default: AUTH_NONE. {@link
     * io.github.rpcrdma4j.oncrpc.ProcessCredential#read} returns that of the user of this process.
     * For Kerberos, wrap the client in a {@link io.github.rpcrdma4j.oncrpc.gss.GssClient}.
     */
    public RpcRdmaClientBuilder credential(Credential changed) {
        credential = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Adds the upper-layer binding of a program to call, so that its bulk data is placed directly.
     * Default: none; calls of a program without a binding travel inline or in long messages.
     */
    public RpcRdmaClientBuilder binding(UpperLayerBinding added) {
        bindings.add(Objects.requireNonNull(added));
        return this;
    }

    /** Adds several bindings, as {@link #binding} does. */
    public RpcRdmaClientBuilder bindings(Collection<? extends UpperLayerBinding> added) {
        bindings.addAll(added);
        return this;
    }

    /**
     * Adds a program that the server may call back on this connection (RFC 8167). Default: none.
     * With such a program, a thread waits for calls of the server, so the client detects a loss of
     * the connection at once. Calls of the server and their replies have no chunks, so they must
     * fit the inline thresholds.
     */
    public RpcRdmaClientBuilder callBackProgram(RpcProgram added) {
        callBackPrograms.add(Objects.requireNonNull(added));
        return this;
    }

    /**
     * Sets the handler of the server's calls in place of programs, for a gateway: {@link
     * #callBackProgram}.
     */
    public RpcRdmaClientBuilder callBacks(CallHandler changed) {
        callBacks = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Sets an action that runs once when the connection has ended. It must not wait. Default: none.
     */
    public RpcRdmaClientBuilder whenEnded(Runnable changed) {
        whenEnded = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Sets how many calls may be outstanding at a time, if the server grants as many: 1 to 16384.
     * Default: 64. Each credit costs at most one posted receive of 16 KiB or more: see {@link
     * #inlineThresholds}.
     */
    public RpcRdmaClientBuilder credits(int changed) {
        options.credits(changed);
        return this;
    }

    /**
     * Sets how many calls the server may have outstanding to this client: 1 to 16384 (RFC 8167,
     * Section 4.1). Default: 16. Without a {@link #callBackProgram} it has no effect.
     */
    public RpcRdmaClientBuilder callBackCredits(int changed) {
        options.callBackCredits(changed);
        return this;
    }

    /**
     * Sets the inline thresholds: the longest Send to make and to accept, in bytes. Each is a
     * multiple of 1024 from 1024 to 262144 (RFC 8166, Section 3.3.2). Default: 5120 each, so that
     * one Send carries 4096 bytes of data and their headers. Larger thresholds avoid chunks but
     * cost memory: every posted receive has {@code receive} bytes, but at least 16 KiB, because
     * some servers send more than they may. The thresholds of the peer limit those in use.
     */
    public RpcRdmaClientBuilder inlineThresholds(int send, int receive) {
        options.inlineSend(send).inlineReceive(receive);
        return this;
    }

    /**
     * Sets whether the server may invalidate handles with its replies (RFC 8797, Section 4.1).
     * Default: true, which saves the local adapter work. Has no effect if handles of the provider
     * are not memory windows of type 2.
     */
    public RpcRdmaClientBuilder remoteInvalidation(boolean changed) {
        options.remoteInvalidation(changed);
        return this;
    }

    /**
     * Sets the longest segment of a chunk to offer, in bytes. Default: 1 GiB. Smaller segments suit
     * servers that limit their length. A longer item is offered in several segments.
     */
    public RpcRdmaClientBuilder segmentMax(long changed) {
        options.segmentMax(changed);
        return this;
    }

    /** Sets the time limit for setting up a connection. Default: 10 seconds. */
    public RpcRdmaClientBuilder connectTimeout(Duration changed) {
        options.connectTimeout(changed);
        return this;
    }

    /**
     * Sets how long the server may be silent while calls are outstanding. After that time the
     * client makes a NULL call. If that call has no reply within the same time, the client closes
     * the connection. Default: 30 seconds; {@link Duration#ZERO} sets no limit. The client reserves
     * one credit for the NULL call.
     */
    public RpcRdmaClientBuilder keepAlive(Duration changed) {
        options.keepAlive(changed);
        return this;
    }

    /**
     * Sets how long the server may be silent while no call is outstanding. After that time the
     * client makes a NULL call of the program that it called last, as {@link #keepAlive} does for
     * outstanding calls, and closes the connection if the server does not answer (RFC 8267, Section
     * 6.7.2). Default: {@link Duration#ZERO}, never. Each NULL call restarts the idle timeout of
     * the server, so the default leaves servers free to close idle connections, and an idle client
     * costs neither messages nor a thread. The loss of an idle connection then shows with the next
     * call. Set a time for a client that has to know of it earlier, for example one that waits for
     * {@link #callBackProgram calls of the server}; one minute is usual for TCP.
     */
    public RpcRdmaClientBuilder idleProbe(Duration changed) {
        options.idleProbe(changed);
        return this;
    }

    /**
     * Sets the wire profile of the client. Default: version 1 by RFC 8166. Other modules have other
     * profiles, which {@link WireProfile#find} finds by name.
     */
    public RpcRdmaClientBuilder profile(WireProfile changed) {
        options.profile(changed);
        return this;
    }

    /** Sets the key of the server, which makes the client one of its own. Default: none. */
    RpcRdmaClientBuilder key(OwnKey changed) {
        key = changed;
        return this;
    }

    /**
     * Connects to a server. The new connection has one credit, because no call was made yet: see
     * {@link RpcRdmaClient#ping}.
     *
     * @throws RpcException.Unreachable if there is no such server, it refuses the connection, or it
     *     does not speak RDMA
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if a setting is out of its range, or two exclude each other
     * @throws IllegalStateException if no provider was set, and none is found
     */
    public RpcRdmaClient connect(InetSocketAddress server)
            throws RpcException, InterruptedException {
        return settings().connect(server);
    }

    /** Returns a copy of the settings, which later changes of the builder do not affect. */
    private Settings settings() {
        var used = provider == null ? RdmaProvider.shared() : provider;
        return new Settings(
                used,
                credential,
                List.copyOf(bindings),
                callBackHandler(),
                whenEnded,
                key,
                options.build().limitedTo(used));
    }

    private Optional<CallHandler> callBackHandler() {
        if (callBacks != null && !callBackPrograms.isEmpty()) {
            throw new IllegalStateException("a client has either a handler of calls, or programs");
        }
        return callBackPrograms.isEmpty()
                ? Optional.ofNullable(callBacks)
                : Optional.of(new RpcDispatcher(callBackPrograms));
    }

    private record Settings(
            RdmaProvider provider,
            Credential credential,
            List<UpperLayerBinding> bindings,
            Optional<CallHandler> callBacks,
            Runnable whenEnded,
            OwnKey key,
            RpcRdmaOptions options) {
        /** Returns the settings of a connection that is set up within a time. */
        Settings within(Duration atMost) {
            long nanos = Math.min(Timeouts.nanos(atMost), Timeouts.nanos(options.connectTimeout()));
            var shorter =
                    options.toBuilder()
                            .connectTimeout(Duration.ofNanos(Math.max(1, nanos)))
                            .build();
            return new Settings(provider, credential, bindings, callBacks, whenEnded, key, shorter);
        }

        Settings serving(RpcProgram program) {
            return new Settings(
                    provider,
                    credential,
                    bindings,
                    Optional.of(new RpcDispatcher(List.of(program))),
                    whenEnded,
                    key,
                    options);
        }

        RpcRdmaClient connect(InetSocketAddress server) throws RpcException, InterruptedException {
            var client =
                    RpcRdmaClient.open(
                            provider,
                            new CalledServer(server, key),
                            credential,
                            bindings,
                            callBacks,
                            options);
            client.whenEnded(whenEnded);
            return client;
        }
    }

    /**
     * Connects to a server by its name or its address, as {@link #connect(InetSocketAddress)} does.
     */
    public RpcRdmaClient connect(String host, int port) throws RpcException, InterruptedException {
        return connect(new InetSocketAddress(host, port));
    }

    /**
     * Returns a client that connects again when its connection is lost. It always connects with the
     * present settings: later changes of the builder do not affect it. The timeout of a call on it
     * bounds each attempt, not all of them together; {@link ReconnectingRpcClient#call(RpcCall,
     * Duration, Duration)} takes a bound on all of them, which also shortens the time to connect.
     *
     * @param retry how long a call is retried after its first failure: {@link
     *     ReconnectingRpcClient#connect}
     * @throws RpcException if the first attempt fails
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if a setting is out of its range, or two exclude each other
     * @throws IllegalStateException if no provider was set, and none is found
     */
    public ReconnectingRpcClient connectReconnecting(InetSocketAddress server, Duration retry)
            throws RpcException, InterruptedException {
        return ReconnectingRpcClient.connect(connector(server), retry);
    }

    /**
     * Returns what connects to a server with the present settings: later changes of the builder do
     * not affect it. It serves programs to the server if this builder has none.
     *
     * @throws IllegalArgumentException if a setting is out of its range, or two exclude each other
     * @throws IllegalStateException if no provider was set, and none is found
     */
    public Connector connector(InetSocketAddress server) {
        return new SettingsConnector(settings(), server);
    }

    private record SettingsConnector(Settings settings, InetSocketAddress server)
            implements Connector {
        @Override
        public RpcClient connect() throws RpcException, InterruptedException {
            return settings.connect(server);
        }

        @Override
        public RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
            return settings.within(atMost).connect(server);
        }

        @Override
        public Optional<Connector> serving(RpcProgram program) {
            boolean isPossible =
                    settings.callBacks.isEmpty() && settings.options.profile().callsBothWays();
            return isPossible
                    ? Optional.of(new SettingsConnector(settings.serving(program), server))
                    : Optional.empty();
        }
    }
}
