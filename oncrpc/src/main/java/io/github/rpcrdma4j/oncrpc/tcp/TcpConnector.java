package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Connects to a server over TCP. Thread-safe.
 *
 * @param server the address at which the server listens
 * @param credential the identity of the caller
 * @param programs of this side, which the server may call on each connection
 */
public record TcpConnector(
        InetSocketAddress server,
        Credential credential,
        TcpClientOptions options,
        List<RpcProgram> programs)
        implements Connector {
    /** Copies the list. */
    public TcpConnector {
        programs = List.copyOf(programs);
    }

    /** Without programs. */
    public TcpConnector(InetSocketAddress server, Credential credential, TcpClientOptions options) {
        this(server, credential, options, List.of());
    }

    @Override
    public TcpRpcClient connect() throws RpcException, InterruptedException {
        return TcpRpcClient.connect(this, options);
    }

    @Override
    public TcpRpcClient connect(Duration atMost) throws RpcException, InterruptedException {
        boolean isShorter = atMost.compareTo(options.connectTimeout()) < 0;
        return TcpRpcClient.connect(this, isShorter ? options.withConnectTimeout(atMost) : options);
    }

    @Override
    public Optional<Connector> serving(RpcProgram program) {
        return programs.isEmpty()
                ? Optional.of(new TcpConnector(server, credential, options, List.of(program)))
                : Optional.empty();
    }
}
