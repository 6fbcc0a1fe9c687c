package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReconnectingRpcClient;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the private data of a server counts for one connection only. Method: the server changes its
 * inline thresholds between connections.
 */
class ChangedServerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int SIZE = 3000;

    private final RdmaProvider provider = new IwarpProvider();
    private final List<RpcRdmaClient> clients = new ArrayList<>();

    private RpcRdmaServer serve(InetSocketAddress address, int inline) throws Exception {
        return Connections.listen(
                provider,
                address,
                List.of(new EchoProgram()),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .inlineSend(inline)
                        .inlineReceive(inline)
                        .build());
    }

    private Connector to(InetSocketAddress server) {
        return new Connector() {
            @Override
            public RpcClient connect() throws RpcException, InterruptedException {
                var client =
                        Connections.connect(
                                provider,
                                server,
                                new Credential.None(),
                                List.of(EchoProgram.BINDING),
                                RpcRdmaOptions.DEFAULT);
                clients.add(client);
                return client;
            }
        };
    }

    private static void store(RpcClient client, int number, MemorySegment data) throws Exception {
        try (var reply = client.call(EchoProgram.store(number, data), TIMEOUT)) {
            assertEquals(number, reply.results().uint32());
        }
    }

    private long readChunks(int connection) {
        return clients.get(connection).statistics().value(Counter.READ_CHUNKS);
    }

    @Test
    @Tag("8797-4-1")
    void aClientKeepsToWhatTheServerOfEachConnectionSays() throws Exception {
        var data = Arena.ofAuto().allocate(SIZE);
        var first = serve(ManualPeer.LOOPBACK, 1024);
        try (var client = ReconnectingRpcClient.connect(to(first.address()), TIMEOUT)) {
            store(client, 1, data);
            first.close();
            try (var _ = serve(first.address(), 4096)) {
                store(client, 2, data);
            }
            try (var _ = serve(first.address(), 2048)) {
                store(client, 3, data);
            }
        }
        assertEquals(3, clients.size());
        // The client may have sent a call once more on the connection that was just lost.
        assertTrue(readChunks(0) > 0);
        assertEquals(0, readChunks(1));
        assertEquals(1, readChunks(2));
    }
}
