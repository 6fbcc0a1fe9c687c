package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClientBuilder;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An NFS server over RDMA on this host. Each user calls it by a connection of its own. Thread-safe,
 * except for new users.
 */
final class RdmaServer implements Results, AutoCloseable {
    private static final int RESULTS_MAX = 1 << 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RdmaProvider provider = new IwarpProvider();
    private final NfsServer nfs;
    private final RpcRdmaServer server;
    private final Map<Credential, RpcRdmaClient> clients = new HashMap<>();

    /** Those that the server calls back. */
    private final List<RpcRdmaClient> called = new ArrayList<>();

    /**
     * @param nfs belongs to this
     */
    RdmaServer(NfsServer nfs) throws IOException {
        this(nfs, InetAddress.getLoopbackAddress());
    }

    /**
     * @param nfs belongs to this
     * @param address where it listens
     */
    RdmaServer(NfsServer nfs, InetAddress address) throws IOException {
        this.nfs = nfs;
        this.server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(address, 0))
                        .programs(nfs.programs())
                        .start();
    }

    private RpcRdmaClient client(Credential caller) throws InterruptedException {
        var known = clients.get(caller);
        if (known == null) {
            known = connect(RpcRdmaClient.builder().credential(caller), server.address());
            clients.put(caller, known);
        }
        return known;
    }

    private RpcRdmaClient connect(RpcRdmaClientBuilder client, InetSocketAddress to)
            throws InterruptedException {
        try {
            return client.provider(provider).connect(to);
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    @Override
    public XdrReader results(
            int program,
            int version,
            int procedure,
            Credential caller,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        return results(client(caller), program, version, procedure, arguments);
    }

    /** Returns the server as a client sees it that has a connection of its own, and is called. */
    Results called(Credential caller, RpcProgram callbacks) throws InterruptedException {
        return called(caller, callbacks, server.address().getAddress());
    }

    /**
     * Likewise, of a client at one of its addresses.
     *
     * @param address an address of this host, from which the client comes
     */
    Results called(Credential caller, RpcProgram callbacks, InetAddress address)
            throws InterruptedException {
        var builder = RpcRdmaClient.builder().credential(caller).callBackProgram(callbacks);
        var client = connect(builder, new InetSocketAddress(address, server.address().getPort()));
        called.add(client);
        return (program, version, procedure, _, arguments) ->
                results(client, program, version, procedure, arguments);
    }

    /** Makes a call on a connection of any transport. */
    static XdrReader results(
            RpcClient client,
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        var call = new RpcCall(program, version, procedure, arguments, RESULTS_MAX);
        try (var reply = client.call(call, TIMEOUT)) {
            var results = reply.results();
            var bytes = new byte[(int) results.remaining()];
            MemorySegment.ofArray(bytes).copyFrom(results.fixedOpaque(bytes.length));
            return new XdrReader(MemorySegment.ofArray(bytes));
        } catch (XdrException malformed) {
            throw malformed;
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    @Override
    public void close() throws IOException {
        called.addAll(clients.values());
        for (var each : called) {
            each.close();
        }
        server.close();
        nfs.close();
    }
}
