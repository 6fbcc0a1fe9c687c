package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.rpcbind.Mapping;
import io.github.rpcrdma4j.oncrpc.rpcbind.Netid;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
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
            InetAddress host,
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments,
            long resultsMax,
            Results<T> results)
            throws NotCalled, RpcException, InterruptedException {
        try (var client = connect(host, program, version)) {
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

    private TcpRpcClient connect(InetAddress host, int program, int version)
            throws NotCalled, InterruptedException {
        try {
            int port = port(host, program, version);
            if (port == 0) {
                throw new RpcException.Unreachable(
                        "%s does not serve program %d over TCP"
                                .formatted(host.getHostAddress(), program),
                        null);
            }
            return connect(host, port);
        } catch (RpcException failed) {
            throw new NotCalled(failed);
        }
    }

    private int port(InetAddress host, int program, int version)
            throws RpcException, InterruptedException {
        try (var connection = connect(host, rpcbindPort)) {
            var rpcbind = new RpcbindClient(connection, RPCBIND_VERSION, timeout);
            if (host instanceof Inet4Address) {
                // Each rpcbind knows version 2.
                return rpcbind.port(new Mapping(program, version, Mapping.TCP, 0));
            }
            var question = new Rpcb(program, version, Netid.tcp(host).word(), "", "");
            return rpcbind.address(question).map(InetSocketAddress::getPort).orElse(0);
        }
    }

    private TcpRpcClient connect(InetAddress host, int port)
            throws RpcException, InterruptedException {
        return TcpRpcClient.connect(
                new InetSocketAddress(host, port), new Credential.None(), timeout);
    }
}
