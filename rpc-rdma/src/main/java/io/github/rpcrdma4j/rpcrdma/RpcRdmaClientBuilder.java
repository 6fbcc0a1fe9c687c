package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a client, and the way to connect with them. Every setting has a default that
 * suits most programs. A setting out of its range is refused when the client connects, with {@link
 * IllegalArgumentException}. A builder is used by one thread; it can connect any number of times.
 */
public final class RpcRdmaClientBuilder {
    private final RpcRdmaOptions.Builder options = RpcRdmaOptions.DEFAULT.toBuilder();
    private final List<UpperLayerBinding> bindings = new ArrayList<>();
    private final List<RpcProgram> callBackPrograms = new ArrayList<>();
    private RdmaProvider provider;
    private Credential credential = new Credential.None();

    RpcRdmaClientBuilder() {}

    /**
     * The provider that moves the bytes. Default: the one that {@link java.util.ServiceLoader}
     * finds; all clients and servers of the process share it ({@link RdmaProvider#shared}). Pass
     * another to give it options, or to choose between several.
     */
    public RpcRdmaClientBuilder provider(RdmaProvider changed) {
        provider = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Who makes the calls. Default: AUTH_NONE. {@link
     * io.github.rpcrdma4j.oncrpc.ProcessCredential#read} has the user of this process. For Kerberos
     * wrap the client in a {@link io.github.rpcrdma4j.oncrpc.gss.GssClient}.
     */
    public RpcRdmaClientBuilder credential(Credential changed) {
        credential = Objects.requireNonNull(changed);
        return this;
    }

    /**
     * Adds the binding of a program that is to be called, so that its bulk data is placed directly.
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
     * With one, a thread stands by for such calls, so a loss of the connection is noticed at once.
     * Calls back and their replies have no chunks: they fit the inline thresholds.
     */
    public RpcRdmaClientBuilder callBackProgram(RpcProgram added) {
        callBackPrograms.add(Objects.requireNonNull(added));
        return this;
    }

    /**
     * How many calls may be outstanding at a time, if the server grants as many: 1 to 16384.
     * Default: 64. Each credit costs a posted receive as long as {@link #inlineThresholds} says.
     */
    public RpcRdmaClientBuilder credits(int changed) {
        options.credits(changed);
        return this;
    }

    /**
     * How many calls back are granted to the server at a time: 1 to 16384 (RFC 8167, Section 4.1).
     * Default: 16. Without a {@link #callBackProgram} it has no effect.
     */
    public RpcRdmaClientBuilder callBackCredits(int changed) {
        options.reverseCredits(changed);
        return this;
    }

    /**
     * The inline thresholds: the longest Send to make and to take, in bytes, each a multiple of
     * 1024 from 1024 to 262144 (RFC 8166, Section 3.3.2). Default: 5120 each, so that 4096 bytes
     * and what is around them travel in one Send. Larger ones spare chunks, and cost memory: every
     * posted receive is as long as {@code receive}. The peer's sizes bound what is used.
     */
    public RpcRdmaClientBuilder inlineThresholds(int send, int receive) {
        options.inlineSend(send).inlineReceive(receive);
        return this;
    }

    /**
     * Whether the server may invalidate handles with its replies (RFC 8797, Section 4.1). Default:
     * true; it spares work on adapters.
     */
    public RpcRdmaClientBuilder remoteInvalidation(boolean changed) {
        options.remoteInvalidation(changed);
        return this;
    }

    /**
     * The longest segment of a chunk to offer, in bytes. Default: 1 GiB. Smaller segments suit
     * servers that bound them; a longer item is offered in several.
     */
    public RpcRdmaClientBuilder segmentMax(long changed) {
        options.segmentMax(changed);
        return this;
    }

    /** The bound on setting up a connection. Default: 10 seconds. */
    public RpcRdmaClientBuilder connectTimeout(Duration changed) {
        options.setupTimeout(changed);
        return this;
    }

    /**
     * How long the server may be silent while calls are outstanding. Then the client makes a NULL
     * call, and gives the connection up if that has no reply within the same time. Default: 30
     * seconds; {@link Duration#ZERO} lets the server be silent for ever. The client keeps one
     * credit back for that call.
     */
    public RpcRdmaClientBuilder keepAlive(Duration changed) {
        options.keepAlive(changed);
        return this;
    }

    /**
     * How the client speaks on the wire. Default: version 1 by RFC 8166. Other modules bring other
     * profiles, which {@link WireProfile#find} finds by name.
     */
    public RpcRdmaClientBuilder profile(WireProfile changed) {
        options.profile(changed);
        return this;
    }

    /**
     * Connects to a server. No call is made yet, so the connection has one credit: see {@link
     * RpcRdmaClient#ping}.
     *
     * @throws RpcException.Unreachable if there is no such server, it refuses, or what answers does
     *     not speak RDMA
     * @throws InterruptedException if the thread is interrupted while it connects
     * @throws IllegalArgumentException if a setting is out of its range, or two exclude each other
     * @throws IllegalStateException if no provider was set, and none is found
     */
    public RpcRdmaClient connect(InetSocketAddress server)
            throws RpcException, InterruptedException {
        var callBack =
                callBackPrograms.isEmpty()
                        ? Optional.<RpcDispatcher>empty()
                        : Optional.of(new RpcDispatcher(callBackPrograms));
        return RpcRdmaClient.open(
                provider == null ? RdmaProvider.shared() : provider,
                server,
                credential,
                bindings,
                callBack,
                options.build());
    }

    /**
     * Connects to a server by its name or its address, as {@link #connect(InetSocketAddress)} does.
     */
    public RpcRdmaClient connect(String host, int port) throws RpcException, InterruptedException {
        return connect(new InetSocketAddress(host, port));
    }

    /**
     * Connects to a server, and connects anew when the connection is lost.
     *
     * @param retry for how long, from its first failure on, a call is tried again: {@link
     *     ReconnectingRpcClient#connect}
     * @throws RpcException if the first try fails
     * @throws InterruptedException if the thread is interrupted while it connects
     */
    public ReconnectingRpcClient connectReconnecting(InetSocketAddress server, Duration retry)
            throws RpcException, InterruptedException {
        Connector connector = () -> connect(server);
        return ReconnectingRpcClient.connect(connector, retry);
    }
}
