package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.client.NfsFiles;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.host.NfsHost;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * NFS of all versions for files that are on no disk: the server asks a store of the program for
 * them. {@link MemoryStore} has all that a store may have, {@link TextStore} the fewest methods.
 */
public final class OwnStore {
    private OwnStore() {}

    /** Writes a file to memory by NFS, and prints it. */
    public static void main(String[] args) throws Exception {
        // All hosts may write, and root is root: with(List.of(ExportRule.of(...))) is stricter.
        var exports = List.of(new Export("/own", new MemoryStore(), false));
        var key = new byte[16]; // of file handles: secret elsewhere
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var server = new NfsServer(exports, key);
                var host =
                        NfsHost.of(server).rdma(RpcRdmaServer.builder().address(address)).start();
                var files =
                        NfsFiles.connect(
                                "rdma://127.0.0.1:"
                                        + host.rdmaAddresses().getFirst().getPort()
                                        + "/own")) {
            try (var out = files.newOutputStream("/own/digits")) {
                out.write("0123456789\n".getBytes(StandardCharsets.US_ASCII));
            }
            try (var in = files.newInputStream("/own/digits")) {
                in.transferTo(System.out);
            }
        }
    }
}
