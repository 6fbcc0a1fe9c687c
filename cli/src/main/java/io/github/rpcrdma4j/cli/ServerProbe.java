package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds out whether a server of this process takes new clients and answers them: it makes a
 * connection, and the call NULL of NFS version 3 on it.
 */
final class ServerProbe implements Supervisor.Probe {
    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private final InetSocketAddress server;

    private ServerProbe(InetSocketAddress server) {
        this.server = server;
    }

    /**
     * Returns the probe of a server.
     *
     * @param listening where the server listens
     * @param isSoftIwarp whether it listens on soft-iWARP; adapters do not all reach themselves
     */
    static Optional<Supervisor.Probe> of(InetSocketAddress listening, boolean isSoftIwarp) {
        if (!isSoftIwarp) {
            return Optional.empty();
        }
        var address = listening.getAddress();
        var reachable =
                address == null || address.isAnyLocalAddress()
                        ? InetAddress.getLoopbackAddress()
                        : address;
        return Optional.of(new ServerProbe(new InetSocketAddress(reachable, listening.getPort())));
    }

    @Override
    public void succeed(Duration timeout) throws IOException, InterruptedException {
        try (var client =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .connectTimeout(timeout)
                        .connect(server)) {
            client.ping(Nfs3.PROGRAM, Nfs3.VERSION, timeout);
        }
    }
}
