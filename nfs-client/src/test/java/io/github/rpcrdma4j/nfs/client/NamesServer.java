package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A server over RDMA for tests, at all addresses of its machine, with clients that all have one
 * name.
 */
final class NamesServer implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 16, 1 << 16, 4096, 16, 4, OptionalInt.empty());

    private final NfsServer nfs;
    private final RpcRdmaServer server;

    NamesServer() throws Exception {
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
        server =
                RpcRdmaServer.builder()
                        .address(new InetSocketAddress("::", 0))
                        .programs(nfs.programs())
                        .start();
    }

    @Override
    public void close() {
        server.close();
        nfs.close();
    }

    /**
     * Returns a client that calls from an address of this machine, with a session.
     *
     * @param verifier of this start of the client
     */
    Peer connect(String host, long verifier) throws Exception {
        return new Peer(host).begin(verifier);
    }

    /** A client of version 4.2 at one address. */
    final class Peer implements AutoCloseable {
        private final RpcRdmaClient connection;
        private SessionId session;
        private int sequence;

        private Peer(String host) throws Exception {
            var address =
                    new InetSocketAddress(InetAddress.ofLiteral(host), server.address().getPort());
            connection =
                    RpcRdmaClient.builder()
                            .credential(new Credential.Sys(0, "box", 0, 0, List.of()))
                            .binding(Nfs4Binding.BINDING)
                            .connect(address);
        }

        private CompoundResult send(Arguments... operations) throws Exception {
            var compound =
                    new CompoundArguments(OpaqueName.of(new byte[0]), 2, List.of(operations));
            var call =
                    new RpcCall(
                            Nfs4Binding.PROGRAM,
                            Nfs4Binding.VERSION,
                            Nfs4Binding.COMPOUND,
                            compound::encode,
                            4096);
            try (var reply = connection.call(call, TIMEOUT)) {
                return CompoundResult.decode(reply.results());
            }
        }

        private Peer begin(long verifier) throws Exception {
            var owner = new ClientOwner(verifier, OpaqueName.of("Linux NFSv4.2 a".getBytes()));
            var exchanged =
                    assertInstanceOf(
                            SessionResult.ExchangeId.class,
                            send(new SessionArguments.ExchangeId(
                                            owner, 0, new StateProtection.None(), Optional.empty()))
                                    .results()
                                    .getFirst());
            var created =
                    send(
                            new SessionArguments.CreateSession(
                                    exchanged.clientId(),
                                    exchanged.sequence(),
                                    0,
                                    CHANNEL,
                                    CHANNEL,
                                    1,
                                    List.of()));
            session =
                    assertInstanceOf(
                                    SessionResult.CreateSession.class, created.results().getFirst())
                            .session();
            return this;
        }

        Nfs4Status use() throws Exception {
            return send(new SessionArguments.Sequence(session, ++sequence, 0, 0, false)).status();
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
