package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections of a client of version 4, one for each caller, opened at the caller's first call.
 * For use by one thread.
 */
final class CompoundConnections implements AutoCloseable {
    private final TableServer server;
    private final List<RpcProgram> programs;
    private final Map<Caller, RpcClient> clients = new HashMap<>();

    /**
     * @param programs what the server may call on each connection
     */
    CompoundConnections(TableServer server, List<RpcProgram> programs) {
        this.server = server;
        this.programs = List.copyOf(programs);
    }

    /**
     * Makes a call; the caller of this method closes the reply.
     *
     * @throws RpcException if there is no reply; the next call has a new connection
     */
    RpcReply call(Caller caller, RpcCall call) throws RpcException, InterruptedException {
        var client = clients.get(caller);
        if (client == null) {
            client =
                    TcpRpcClient.connect(
                            server.nfs(), caller.credential(), programs, Connections.TIMEOUT);
            clients.put(caller, client);
        }
        try {
            return client.call(call, Connections.TIMEOUT);
        } catch (RpcException failed) {
            clients.remove(caller).close();
            throw failed;
        }
    }

    @Override
    public void close() {
        clients.values().forEach(RpcClient::close);
    }
}
