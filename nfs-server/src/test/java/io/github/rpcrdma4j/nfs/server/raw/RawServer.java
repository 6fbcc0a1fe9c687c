package io.github.rpcrdma4j.nfs.server.raw;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The NFS server over RDMA. */
final class RawServer {
    private RawServer() {}

    static CompoundContract.Serving serve(
            NfsServer nfs, ServedProfile profile, RdmaProvider provider) throws Exception {
        var server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .profile(profile.profile())
                        .programs(nfs.programs())
                        .programs(nfs.version2Programs())
                        .programs(nfs.lockPrograms(true))
                        .start();
        return new CompoundContract.Serving(server.address(), server);
    }
}
