package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Netid;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpConnector;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * Connects to the MOUNT service of a server over TCP: at the address of its NFS if that has it,
 * otherwise where the rpcbind of the server says. Thread-safe.
 *
 * @param nfs connects to NFS
 * @param version of MOUNT
 * @param options of further connections
 */
public record MountConnector(TcpConnector nfs, int version, TcpClientOptions options)
        implements Connector {
    private static final int RPCBIND_VERSION = 4;

    @Override
    public RpcClient connect(Duration atMost) throws RpcException, InterruptedException {
        var soon =
                atMost.compareTo(timeout()) < 0
                        ? new MountConnector(nfs, version, options.withConnectTimeout(atMost))
                        : this;
        return soon.connect();
    }

    @Override
    public RpcClient connect() throws RpcException, InterruptedException {
        var first = nfs.connect(timeout());
        try {
            first.ping(NfsVersion.MOUNT_PROGRAM, version, timeout());
            return first;
        } catch (RpcException.Refused refused) {
            first.close();
            if (refused.status() == AcceptStatus.PROG_UNAVAIL) {
                return elsewhere(refused);
            }
            throw refused;
        } catch (RpcException | InterruptedException failure) {
            first.close();
            throw failure;
        }
    }

    private RpcClient elsewhere(RpcException.Refused refused)
            throws RpcException, InterruptedException {
        var host = nfs.server().getAddress();
        var found = registered(new InetSocketAddress(host, RpcbindClient.PORT), refused);
        if (found.isEmpty()) {
            throw new RpcException.Unreachable(
                    HostPort.text(nfs.server())
                            + " has no MOUNT service, and no rpcbind that knows one; version 4 of"
                            + " NFS needs none",
                    refused);
        }
        // Only the port counts: a service on all interfaces answers at this address, too.
        var address = new InetSocketAddress(host, found.get().getPort());
        return TcpRpcClient.connect(address, nfs.credential(), options);
    }

    private Optional<InetSocketAddress> registered(
            InetSocketAddress rpcbind, RpcException.Refused refused) throws InterruptedException {
        try (var client =
                TcpRpcClient.connect(rpcbind, new Credential.None(), options.connectTimeout())) {
            return new RpcbindClient(client, RPCBIND_VERSION, timeout())
                    .address(
                            new Rpcb(
                                    NfsVersion.MOUNT_PROGRAM,
                                    version,
                                    Netid.tcp(rpcbind.getAddress()).word(),
                                    "",
                                    ""));
        } catch (RpcException without) {
            refused.addSuppressed(without);
            return Optional.empty();
        }
    }

    private Duration timeout() {
        return options.connectTimeout();
    }
}
