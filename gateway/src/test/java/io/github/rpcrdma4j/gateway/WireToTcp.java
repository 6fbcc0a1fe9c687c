package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;

/**
 * A gateway between an RDMA client and a TCP server, both of which a test operates. The client sees
 * the gateway as the server of RFC 8267.
 */
final class WireToTcp implements AutoCloseable {
    /** The credits that the gateway grants. */
    static final int GRANT = 64;

    private static final int ASKED = 8;
    private static final int ERR_CHUNK = 2;

    private final ServerSocket listener;
    private final RpcRdmaServer gateway;
    private final RawEnd client;
    private RecordSocket server;
    private int xid = 0x0a0b0c00;

    WireToTcp() throws Exception {
        var provider = new IwarpProvider();
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var upstream = new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        gateway =
                RpcRdmaServer.builder()
                        .provider(provider)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .calls(
                                ReadableGateway.of(
                                        new TcpUpstream(
                                                upstream,
                                                Duration.ofSeconds(20),
                                                GatewayLimits.DEFAULT),
                                        GatewayLimits.DEFAULT))
                        .start();
        client = RawEnd.connect(provider, gateway.address());
    }

    RawEnd client() {
        return client;
    }

    /** Returns the end of the server, to which the gateway connects for the first call. */
    RecordSocket server() throws IOException {
        if (server == null) {
            server = new RecordSocket(listener.accept());
        }
        return server;
    }

    /** Returns the next XID. */
    int nextXid() {
        return ++xid;
    }

    /**
     * Makes a call.
     *
     * @param lists the chunk lists of the call
     * @param answer the reply of the server, without its XID
     * @return the reply of the gateway
     */
    Words exchange(Words lists, Compound.Call call, Words answer) throws Exception {
        int number = nextXid();
        client.send(HeaderWords.msg(number, ASKED).and(lists).and(call.reduced(number)));
        return passes(number, call.message(number), answer);
    }

    /** Makes a call whose message is in a Position-Zero Read chunk, and so in the lists. */
    Words exchangeLong(int number, Words lists, Compound.Call call, Words answer) throws Exception {
        client.send(HeaderWords.noMsg(number, ASKED).and(lists));
        return passes(number, call.message(number), answer);
    }

    /** Checks that the server gets a call, answers it, and returns the reply of the gateway. */
    Words passes(int number, Words expected, Words answer) throws Exception {
        expected.requireSame(server().receive());
        server.send(Words.of(number).and(answer));
        return client.receive();
    }

    /** Makes a call that the gateway answers itself. */
    private Words refused(int number, Words lists, Words message) throws Exception {
        client.send(HeaderWords.msg(number, ASKED).and(lists).and(message));
        return client.receive();
    }

    /** Makes a call that has to be refused because of its header; the server must not see it. */
    void refusesTheHeader(Words lists, Compound.Call call) throws Exception {
        int number = nextXid();
        requireChunkError(number, refused(number, lists, call.reduced(number)));
        requireAlive();
    }

    /** Makes a call that has to be refused because of its arguments. */
    void refusesTheArguments(Words lists, Compound.Call call) throws Exception {
        int number = nextXid();
        refusesTheArguments(number, lists, call.reduced(number));
    }

    /** Makes a call that has to be refused because of its arguments. */
    void refusesTheArguments(int number, Words lists, Words message) throws Exception {
        int garbageArgs = 4;
        HeaderWords.msg(number, GRANT)
                .and(HeaderWords.readList())
                .word(number, 1, 0, 0, 0, garbageArgs)
                .requireSame(refused(number, lists, message));
        requireAlive();
    }

    /** Requires RDMA_ERROR with ERR_CHUNK. */
    static void requireChunkError(int number, Words answer) {
        Words.of(number, 1, GRANT, 4, ERR_CHUNK).requireSame(answer);
    }

    /** Requires that calls still pass, and that the server got no other call before. */
    void requireAlive() throws Exception {
        var reply =
                exchange(
                        HeaderWords.readList(),
                        Compound.call().putFileHandle(4),
                        Compound.reply(Compound.OK, Compound.filehandleWasPut()));
        requireReply(
                HeaderWords.readList(),
                Compound.reply(Compound.OK, Compound.filehandleWasPut()),
                reply);
    }

    /** Requires a reply with these chunk lists and this message behind the XID. */
    static void requireReply(Words lists, Words message, Words reply) {
        int number = reply.at(0);
        HeaderWords.msg(number, GRANT).and(lists).word(number).and(message).requireSame(reply);
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
