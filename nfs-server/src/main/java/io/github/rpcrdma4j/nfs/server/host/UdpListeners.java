package io.github.rpcrdma4j.nfs.server.host;

import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.udp.UdpRpcServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs that are served over UDP at several addresses.
 *
 * @param servers one for each address
 */
record UdpListeners(List<UdpRpcServer> servers) implements AutoCloseable {
    /**
     * Listens at all addresses, or at none.
     *
     * @throws IOException if an address cannot be bound; the message is one line that names it
     */
    static UdpListeners listen(
            List<InetSocketAddress> addresses, List<? extends RpcProgram> programs)
            throws IOException {
        var servers = new ArrayList<UdpRpcServer>();
        try {
            for (var each : addresses) {
                servers.add(UdpRpcServer.listen(each, programs));
            }
            return new UdpListeners(List.copyOf(servers));
        } catch (IOException | RuntimeException | Error failed) {
            servers.forEach(UdpRpcServer::close);
            throw failed;
        }
    }

    /** Returns the addresses, with the actual ports. */
    List<InetSocketAddress> addresses() {
        return servers.stream().map(UdpRpcServer::address).toList();
    }

    @Override
    public void close() {
        servers.forEach(UdpRpcServer::close);
    }
}
