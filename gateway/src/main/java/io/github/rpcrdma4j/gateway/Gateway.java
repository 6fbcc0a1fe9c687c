package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.binding.NfsBindings;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import java.io.IOException;
import java.util.List;

/**
 * Joins the clients of one transport with a server behind another one. Each client connection has
 * one connection to the server, and ends with it. Nothing else outlives a connection: the gateway
 * sends no call twice, and reconnects for no client. Thread-safe.
 *
 * <p>The server sees one address, that of the gateway. Its export rules, its reserved ports and its
 * memory of calls apply to that address.
 */
public final class Gateway implements CallService {
    private final Upstream upstream;
    private final GatewayLimits limits;

    /**
     * Creates a gateway, which transports ask for the handlers of their connections.
     *
     * @param upstream opens the connections to the server
     */
    public Gateway(Upstream upstream, GatewayLimits limits) {
        this.upstream = upstream;
        this.limits = limits;
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
        var callBacks =
                new PassedCalls(
                        client.reverse(), limits, reason -> client.close("call back: " + reason));
        var server =
                upstream.connect(
                        callBacks,
                        () -> apart(() -> client.close("the connection to the server has ended")));
        client.whenEnded(() -> apart(server::close));
        return new PassedCalls(server, limits, client::close);
    }
}
