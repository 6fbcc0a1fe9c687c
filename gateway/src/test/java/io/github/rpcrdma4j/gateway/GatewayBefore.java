package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.raw.CompoundContract;
import io.github.rpcrdma4j.nfs.server.raw.ServedProfile;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;

/** A gateway before the NFS server, which it reaches over TCP. */
final class GatewayBefore {
    private GatewayBefore() {}

    static CompoundContract.Serving serve(
            NfsServer nfs, ServedProfile profile, RdmaProvider provider) throws Exception {
        var programs = new ArrayList<RpcProgram>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        programs.addAll(nfs.lockPrograms(true));
        var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var behind = TcpRpcServer.listen(any, programs, TcpRpcOptions.DEFAULT);
        var upstream =
                new TcpUpstream(behind.address(), Duration.ofSeconds(20), GatewayLimits.DEFAULT);
        var gateway =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(any)
                        .profile(profile.profile())
                        .calls(new Gateway(upstream, GatewayLimits.DEFAULT))
                        .start();
        return new CompoundContract.Serving(
                gateway.address(),
                () -> {
                    gateway.close();
                    behind.close();
                });
    }
}
