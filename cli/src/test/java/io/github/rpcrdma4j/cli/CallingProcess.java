package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;

/** A process of a user that calls as any user: it makes a directory in an export. */
public final class CallingProcess {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private CallingProcess() {}

    /**
     * Ends with 0 if the directory is made, and with 1 if the server refuses.
     *
     * @param arguments rdma or tcp; the address and the port of the server; the user and the groups
     *     that it claims, separated by commas; the export; the name
     */
    public static void main(String[] arguments) throws Exception {
        var address =
                new InetSocketAddress(
                        InetAddress.ofLiteral(arguments[1]), Integer.parseInt(arguments[2]));
        var ids = Arrays.stream(arguments[3].split(",")).map(Integer::valueOf).toList();
        var caller =
                new Credential.Sys(0, "box", ids.get(0), ids.get(1), ids.subList(2, ids.size()));
        Connector connector =
                arguments[0].equals("tcp")
                        ? () -> TcpRpcClient.connect(address, caller, TIMEOUT)
                        : () ->
                                RpcRdmaClient.builder()
                                        .credential(caller)
                                        .binding(NfsVersion.VERSION_3.binding())
                                        .connect(address);
        try (var client =
                new Nfs3Client(
                        connector,
                        connector,
                        ClientOptions.DEFAULT.withVersion(NfsVersion.VERSION_3),
                        NfsVersion.VERSION_3)) {
            var root = client.mount(PathName.of(arguments[4]));
            var where = new DirOpArgs(root, arguments[5]);
            client.call(new Nfs3Call.MakeDirectory(where, SetAttributes.NONE));
        } catch (NfsException refused) {
            System.out.println(refused.getMessage());
            System.exit(1);
        }
    }
}
