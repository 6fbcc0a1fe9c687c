package io.github.rpcrdma4j.bench;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** The passive process: prints its ports and serves until it is killed. */
public final class Server {
    private Server() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        var rdma =
                RpcRdmaServer.listen(
                        new IwarpProvider(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new BenchProgram()),
                        List.of(BenchProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        System.out.println("ready " + PlainTcp.serve() + " " + rdma.address().getPort());
        Thread.currentThread().join();
    }
}
