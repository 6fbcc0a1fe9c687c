package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
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
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** An NFS server over RDMA on this host. Each user calls it by a connection of its own. */
final class RdmaServer implements Results, AutoCloseable {
    private static final int RESULTS_MAX = 1 << 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final RdmaProvider provider = new IwarpProvider();
    private final NfsServer nfs;
    private final RpcRdmaServer server;
    private final Map<Credential, RpcRdmaClient> clients = new HashMap<>();

    /**
     * @param nfs belongs to this
     */
    RdmaServer(NfsServer nfs) throws IOException {
        this.nfs = nfs;
        this.server =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(nfs.programs())
                        .start();
    }

    private RpcRdmaClient client(Credential caller) throws IOException, InterruptedException {
        var known = clients.get(caller);
        if (known == null) {
            known =
                    RpcRdmaClient.builder()
                            .provider(provider)
                            .credential(caller)
                            .connect(server.address());
            clients.put(caller, known);
        }
        return known;
    }

    @Override
    public XdrReader results(
            int program,
            int version,
            int procedure,
            Credential caller,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        var call = new RpcCall(program, version, procedure, arguments, RESULTS_MAX);
        try (var reply = client(caller).call(call, TIMEOUT)) {
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
        for (var each : clients.values()) {
            each.close();
        }
        server.close();
        nfs.close();
    }
}
