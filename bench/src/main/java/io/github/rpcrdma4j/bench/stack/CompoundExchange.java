package io.github.rpcrdma4j.bench.stack;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Our NFS server with a client of version 4.2 that can only do the calls of a measurement. */
record CompoundExchange(boolean overRdma) implements Exchange {
    @Override
    public Service serve(Setting setting, Path directory) throws Exception {
        return new NfsExchange(overRdma).serve(setting, directory);
    }

    @Override
    public Session connect(int port, Setting setting, Path directory) throws Exception {
        return CompoundSession.open(client(port, setting));
    }

    private RpcClient client(int port, Setting setting) throws Exception {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        var caller = ProcessCredential.read();
        if (!overRdma) {
            return TcpRpcClient.connect(address, caller, CompoundSession.TIMEOUT);
        }
        return RpcRdmaClient.builder()
                .provider(RpcRdmaExchange.provider(setting))
                .credential(caller)
                .binding(Nfs4Binding.BINDING)
                .connect(address);
    }
}
