package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server of version 4 on loopback, over RDMA or TCP: the server of the product, whose results a
 * lie changes.
 */
final class LyingServer implements AutoCloseable {
    private static final Nfs4Options OPTIONS =
            new Nfs4Options(
                    Duration.ofSeconds(Nfs4Options.LEASE_SECONDS_MIN),
                    Duration.ofSeconds(1),
                    Optional.empty(),
                    "");

    private final NfsServer nfs;
    private final AutoCloseable transport;
    private final String url;

    /**
     * Serves a directory as {@code /data}.
     *
     * @param overTcp whether it is over TCP, and not over RDMA
     */
    LyingServer(Path directory, Lying lying, boolean overTcp) throws IOException {
        nfs =
                new NfsServer(
                        List.of(new Export("/data", directory, false)),
                        new byte[32],
                        KerberosUsers.NONE,
                        OPTIONS);
        var program = new LyingProgram(nfs.version4Program(), lying);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (overTcp) {
            var server = TcpRpcServer.listen(address, List.of(program), TcpRpcOptions.DEFAULT);
            transport = server;
            url = "nfs://127.0.0.1:" + server.address().getPort();
        } else {
            var server =
                    RpcRdmaServer.builder()
                            .provider(new IwarpProvider())
                            .address(address)
                            .program(program)
                            .start();
            transport = server;
            url = "rdma://127.0.0.1:" + server.address().getPort();
        }
    }

    /** Returns the URL of the server, without a path. */
    String url() {
        return url;
    }

    private record LyingProgram(RpcProgram program, Lying lying) implements ForwardingProgram {
        @Override
        public boolean isRepeatable(RpcRequest request) {
            return program.isRepeatable(request);
        }

        @Override
        public Optional<PeerIdentifier> identifier() {
            return program.identifier();
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            if (request.procedure() == 0) {
                return program.call(request, results);
            }
            lying.tell(Asked.of(program, request)).encode(results);
            return AcceptStatus.SUCCESS;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            transport.close();
        } catch (IOException failure) {
            throw failure;
        } catch (Exception failure) {
            throw new IOException(failure);
        } finally {
            nfs.close();
        }
    }
}
