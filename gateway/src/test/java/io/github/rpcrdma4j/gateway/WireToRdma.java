package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.SeenHeader;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A gateway between a TCP client and an RDMA server, both of which a test operates. The server sees
 * the gateway as the client of RFC 8267.
 */
final class WireToRdma implements AutoCloseable {
    private static final Duration SHORT = Duration.ofMillis(200);

    private final IwarpProvider provider = new IwarpProvider();
    private final Listener listener;
    private final TcpRpcServer gateway;
    private final RecordSocket client;
    private RawEnd server;
    private int xid = 0x0b0b0c00;

    WireToRdma() throws Exception {
        var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = provider.listen(any);
        gateway =
                TcpRpcServer.listen(
                        any,
                        ReadableGateway.of(
                                new RdmaUpstream(
                                        listener.address(),
                                        () -> RpcRdmaClient.builder().provider(provider)),
                                GatewayLimits.DEFAULT),
                        TcpRpcOptions.DEFAULT);
        client = RecordSocket.connect(gateway.address());
    }

    RecordSocket client() {
        return client;
    }

    /** Returns the end of the server, to which the gateway connects for the first call. */
    RawEnd server() throws Exception {
        if (server == null) {
            server = RawEnd.accept(provider, listener);
        }
        return server;
    }

    /** Sends a call of the client, and returns its XID. */
    int send(Compound.Call call) throws IOException {
        client.send(call.message(++xid));
        return xid;
    }

    /** Returns the header of the next message that the server gets; it must be of this call. */
    SeenHeader receive(int number) throws Exception {
        var seen = SeenHeader.of(server().receive());
        assertEquals(1, seen.version());
        assertEquals(number, seen.xid());
        return seen;
    }

    /** Sends an inline reply of the server, without its XID. */
    void answer(SeenHeader call, int credits, Words reply) {
        server.send(
                Words.of(call.xid(), 1, credits, 0)
                        .and(call.unusedLists())
                        .word(call.xid())
                        .and(reply));
    }

    /** Requires that a call passes, and that no other came to the server before. */
    void requireAlive() throws Exception {
        int number = send(Compound.call().putFileHandle(4));
        var call = receive(number);
        Compound.call().putFileHandle(4).message(number).requireSame(call.message());
        var results = Compound.reply(Compound.OK, Compound.filehandleWasPut());
        answer(call, 8, results);
        Words.of(number).and(results).requireSame(client.receive());
    }

    /** Requires that the gateway does not connect again. */
    void requireNoOtherConnection() throws Exception {
        assertEquals(false, listener.accept(SHORT).isPresent(), "another connection came");
    }

    @Override
    public void close() throws IOException {
        client.close();
        gateway.close();
        if (server != null) {
            server.close();
        }
        listener.close();
        LeasedMemory.requireNone(gateway::leasedMemory);
    }
}
