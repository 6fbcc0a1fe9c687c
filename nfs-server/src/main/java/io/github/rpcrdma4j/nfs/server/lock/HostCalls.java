package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Mapping;
import io.github.rpcrdma4j.oncrpc.rpcbind.Netid;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpClientOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Calls programs of hosts over TCP, at the ports that their rpcbinds tell. Each call has a
 * connection of its own. Thread-safe.
 */
final class HostCalls {
    private static final int RPCBIND_VERSION = 4;

    private final int rpcbindPort;
    private final Duration timeout;

    /**
     * @param rpcbindPort where the rpcbind of each host listens
     * @param timeout the bound on each step of a call
     */
    HostCalls(int rpcbindPort, Duration timeout) {
        this.rpcbindPort = rpcbindPort;
        this.timeout = timeout;
    }

    /**
     * Where a host is called.
     *
     * @param from the address of this side from which to call, because a host may take calls only
     *     from the one that it has called; empty: that of the route
     */
    record Target(InetAddress host, Optional<InetAddress> from) {
        /** Returns a host that takes calls from any address of this side. */
        static Target of(InetAddress host) {
            return new Target(host, Optional.empty());
        }
    }

    /** Decodes the results of a call. */
    interface Results<T> {
        T decode(XdrReader in) throws XdrException;
    }

    /** The host has not got the call. */
    static final class NotCalled extends Exception {
        private static final long serialVersionUID = 1L;

        private NotCalled(RpcException cause) {
            super(cause.getMessage(), cause, false, false);
        }
    }

    /**
     * Calls a procedure of a host.
     *
     * @param resultsMax the most bytes of the results
     * @throws NotCalled if the host cannot be reached, does not serve the program, or refuses
     * @throws RpcException if the host may have got the call, and has not answered it well
     */
    <T> T call(
            Target target,
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            long resultsMax,
            Results<T> results)
            throws NotCalled, RpcException, InterruptedException {
        try (var client = connect(target, program, version)) {
            var call = new RpcCall(program, version, procedure, arguments, resultsMax);
            try (var reply = client.call(call, timeout)) {
                return results.decode(reply.results());
            } catch (XdrException malformed) {
                throw RpcException.BadReply.of(malformed);
            } catch (RpcException.Refused | RpcException.Denied refused) {
                throw new NotCalled(refused);
            }
        }
    }

    private TcpRpcClient connect(Target target, int program, int version)
            throws NotCalled, InterruptedException {
        try {
            int port = port(target, program, version);
            if (port == 0) {
                throw new RpcException.Unreachable(
                        "%s does not serve program %d over TCP"
                                .formatted(target.host.getHostAddress(), program),
                        null);
            }
            return connect(target, port);
        } catch (RpcException failed) {
            throw new NotCalled(failed);
        }
    }

    private int port(Target target, int program, int version)
            throws RpcException, InterruptedException {
        try (var connection = connect(target, rpcbindPort)) {
            var rpcbind = new RpcbindClient(connection, RPCBIND_VERSION, timeout);
            if (target.host instanceof Inet4Address) {
                // Each rpcbind knows version 2.
                return rpcbind.port(new Mapping(program, version, Mapping.TCP, 0));
            }
            var question = new Rpcb(program, version, Netid.tcp(target.host).word(), "", "");
            return rpcbind.address(question).map(InetSocketAddress::getPort).orElse(0);
        }
    }

    private TcpRpcClient connect(Target target, int port)
            throws RpcException, InterruptedException {
        var options = TcpClientOptions.within(timeout);
        return TcpRpcClient.connect(
                new InetSocketAddress(target.host, port),
                new Credential.None(),
                target.from.map(options::withFrom).orElse(options));
    }
}
