package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An NFS server of either transport on this host, and connections of hosts. Closing this checks
 * that the server has given back all that it took for calls.
 */
final class HostServer implements AutoCloseable {
    enum Transport {
        TCP,
        RDMA
    }

    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** More than the calls of a connection that hang in a test. */
    private static final int CREDITS = 128;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final IwarpProvider provider = new IwarpProvider();
    private final NfsServer nfs;
    private final Transport transport;
    private final TcpRpcServer tcp;
    private final RpcRdmaServer rdma;
    private final List<RpcClient> clients = new ArrayList<>();

    /**
     * @param nfs belongs to this
     */
    HostServer(Transport transport, NfsServer nfs) throws IOException {
        this.transport = transport;
        this.nfs = nfs;
        tcp = TcpRpcServer.listen(ANY, nfs.programs(), TcpRpcOptions.DEFAULT);
        rdma =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(ANY)
                        .programs(nfs.programs())
                        .credits(CREDITS)
                        .start();
    }

    /**
     * Returns the server as a host sees it by a connection of its own.
     *
     * @param from the address of the host; over RDMA it is the loopback address
     */
    Results connect(String from) throws IOException, InterruptedException {
        var client =
                switch (transport) {
                    case TCP ->
                            TcpRpcClient.connect(
                                    tcp.address(),
                                    CompoundClient.ROOT,
                                    TcpClientOptions.within(TIMEOUT)
                                            .withFrom(InetAddress.ofLiteral(from)));
                    case RDMA ->
                            RpcRdmaClient.builder()
                                    .credential(CompoundClient.ROOT)
                                    .credits(CREDITS)
                                    .provider(provider)
                                    .connect(rdma.address());
                };
        clients.add(client);
        return (program, version, procedure, _, arguments) ->
                RdmaServer.results(client, program, version, procedure, arguments);
    }

    @Override
    public void close() {
        for (var each : clients) {
            each.close();
        }
        tcp.close();
        rdma.close();
        assertEquals(0, tcp.leasedMemory());
        assertEquals(0, tcp.clients());
        assertEquals(0, tcp.openConnections());
        assertEquals(0, rdma.callsInProgress());
        assertEquals(0, rdma.leasedMemory());
        assertEquals(0, rdma.clients());
        nfs.close();
    }
}
