package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.CalledServer;
import io.github.rpcrdma4j.rpcrdma.session.ServerThreads;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Opens clients and servers for tests: all options are one value, and the bindings may differ from
 * those of the programs.
 */
public final class Connections {
    private Connections() {}

    /** Connects to a server. */
    public static RpcRdmaClient connect(
            RdmaProvider provider,
            InetSocketAddress server,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        return RpcRdmaClient.open(
                provider, CalledServer.of(server), credential, bindings, Optional.empty(), options);
    }

    /** Connects to a server that may call back. */
    public static RpcRdmaClient connect(
            RdmaProvider provider,
            InetSocketAddress server,
            Credential credential,
            Collection<? extends UpperLayerBinding> bindings,
            RpcDispatcher callBack,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        return RpcRdmaClient.open(
                provider,
                CalledServer.of(server),
                credential,
                bindings,
                Optional.of(callBack),
                options);
    }

    /** Serves programs. */
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            Collection<? extends RpcProgram> programs,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RdmaException {
        return listen(provider, address, new RpcDispatcher(programs), bindings, options);
    }

    /** Serves the programs of a dispatcher. */
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options)
            throws RdmaException {
        var pool = new SegmentPool(RpcRdmaServer.KEPT_BYTES);
        return listen(provider, address, dispatcher, bindings, options, pool);
    }

    /** Serves the programs of a dispatcher, with memory of a pool. */
    public static RpcRdmaServer listen(
            RdmaProvider provider,
            InetSocketAddress address,
            RpcDispatcher dispatcher,
            Collection<? extends UpperLayerBinding> bindings,
            RpcRdmaOptions options,
            SegmentPool pool)
            throws RdmaException {
        return RpcRdmaServer.start(
                new RpcRdmaServer.Parts(
                        provider,
                        List.of(address),
                        dispatcher,
                        options,
                        pool,
                        ServerThreads.POLLERS_MAX,
                        Optional.empty()),
                bindings);
    }
}
