package io.github.rpcrdma4j.cli.connect;

import io.github.rpcrdma4j.cli.terminal.AddressText;
import io.github.rpcrdma4j.cli.terminal.Section;
import io.github.rpcrdma4j.nfs.client.NfsUrl;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Netid;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Asks the rpcbind of a server for its ports. */
@Section(Section.Heading.CONNECTION)
final class RpcbindOptions {
    private static final int VERSION = 4;

    @Option(
            names = "--rpcbind",
            description =
                    "Ask the server's rpcbind for the ports of NFS and of MOUNT over TCP;"
                            + " what it does not know is taken as without this option.")
    private boolean wanted;

    @Option(
            names = "--rpcbind-port",
            paramLabel = "PORT",
            description = "Ask as --rpcbind does; rpcbind listens on this port.")
    private Integer port;

    /**
     * The addresses of the two services.
     *
     * @param nfs address of NFS over the transport of the URL
     * @param mount address of MOUNT over TCP, if it is known
     */
    record Addresses(InetSocketAddress nfs, Optional<InetSocketAddress> mount) {}

    /**
     * Returns the addresses for a URL, asking rpcbind only if the user wants that.
     *
     * @param options with the versions of NFS, of which the first counts that rpcbind knows
     * @throws RpcException if rpcbind cannot be reached, or its answer is malformed
     */
    Addresses addresses(NfsUrl url, ClientOptions options)
            throws RpcException, InterruptedException {
        var server = url.address();
        if (!wanted && port == null || server.isUnresolved()) {
            return new Addresses(server, Optional.empty());
        }
        var host = server.getAddress();
        int asked = AddressText.requirePort(port == null ? RpcbindClient.PORT : port);
        try (var client =
                TcpRpcClient.connect(
                        new InetSocketAddress(host, asked),
                        new Credential.None(),
                        options.timeout())) {
            var rpcbind = new RpcbindClient(client, VERSION, options.timeout());
            var netid =
                    switch (url.transport()) {
                        case RDMA -> Netid.rdma(host);
                        case TCP -> Netid.tcp(host);
                    };
            var nfs = nfs(rpcbind, options, netid);
            var mount = mount(rpcbind, options, host);
            // Take only the ports: a service on all interfaces, or on another one, also answers at
            // this address.
            return new Addresses(
                    nfs.map(found -> new InetSocketAddress(host, found.getPort())).orElse(server),
                    mount.map(found -> new InetSocketAddress(host, found.getPort())));
        }
    }

    private static Optional<InetSocketAddress> nfs(
            RpcbindClient rpcbind, ClientOptions options, Netid netid)
            throws RpcException, InterruptedException {
        for (var version : options.versions()) {
            var found = rpcbind.listener(NfsVersion.PROGRAM, version.number(), netid);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<InetSocketAddress> mount(
            RpcbindClient rpcbind, ClientOptions options, InetAddress host)
            throws RpcException, InterruptedException {
        if (options.versions().stream().allMatch(each -> each.mountNumber().isEmpty())) {
            return Optional.empty();
        }
        return rpcbind.address(
                new Rpcb(
                        NfsVersion.MOUNT_PROGRAM,
                        options.mountVersion(),
                        Netid.tcp(host).word(),
                        "",
                        ""));
    }
}
