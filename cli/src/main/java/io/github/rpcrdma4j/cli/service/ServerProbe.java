package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out whether a server of this process takes new clients and answers them: it makes a
 * connection, and the call NULL of NFS version 3 on it. Peers at the same address do not share
 * their room with it, so they cannot make the server look dead.
 */
public final class ServerProbe implements Supervisor.Probe {
    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private final RpcRdmaServer server;
    private final InetSocketAddress address;

    private ServerProbe(RpcRdmaServer server, InetSocketAddress address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Returns the probe of a server.
     *
     * @param isSoftIwarp whether it listens on soft-iWARP; adapters do not all reach themselves
     */
    public static Optional<Supervisor.Probe> of(RpcRdmaServer server, boolean isSoftIwarp) {
        if (!isSoftIwarp) {
            return Optional.empty();
        }
        var listening = server.address();
        var address = listening.getAddress();
        var reachable =
                address == null || address.isAnyLocalAddress()
                        ? InetAddress.getLoopbackAddress()
                        : address;
        return Optional.of(
                new ServerProbe(server, new InetSocketAddress(reachable, listening.getPort())));
    }

    @Override
    public void succeed(Duration timeout) throws IOException, InterruptedException {
        server.probe(provider, address, Nfs3.PROGRAM, Nfs3.VERSION, timeout);
    }
}
