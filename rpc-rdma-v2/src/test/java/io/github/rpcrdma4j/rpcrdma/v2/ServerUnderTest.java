package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.operation;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A server of ours, over iWARP, whose client the test plays in version 2. */
final class ServerUnderTest implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final byte[] SAYS_NOTHING = {};
    private static final int OFFER = 1;

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 20);
    private final int receiveBytes;
    final RpcRdmaServer server;
    final ManualPeer client;

    /**
     * @param receiveBytes the length of the client's receives
     */
    ServerUnderTest(RpcRdmaOptions options, int receiveBytes) throws Exception {
        this(new EchoProgram(), options, receiveBytes);
    }

    /**
     * @param receiveBytes the length of the client's receives
     */
    ServerUnderTest(RpcProgram program, RpcRdmaOptions options, int receiveBytes) throws Exception {
        this.receiveBytes = receiveBytes;
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(program),
                        List.of(EchoProgram.BINDING),
                        options);
        client = connect();
    }

    /** Connects one more client; the test closes it. */
    ManualPeer connect() throws Exception {
        return ManualPeer.connect(provider, server.address(), SAYS_NOTHING, receiveBytes);
    }

    /** Sends the client's characteristics, and returns those of the server. */
    InitialExchange introduce(Characteristic... announced) throws Exception {
        return introduce(client, announced);
    }

    static InitialExchange introduce(ManualPeer client, Characteristic... announced)
            throws Exception {
        var offer = new InitialExchange(List.of(announced), Subset.of());
        client.send(Version2ByHand.option(OFFER, Direction.CALL, offer));
        var answer = Version2ByHand.header(client.receive());
        assertEquals(OFFER, answer.xid());
        return operation(InitialExchange.class, answer);
    }

    void say(Version2Header header, byte[] payload) {
        client.send(ManualConnection.message(header, payload));
    }

    void say(int xid, Operation operation, byte[] payload) {
        say(new Version2Header.Option(xid, CREDITS, Direction.CALL, operation), payload);
    }

    void say(int xid, Operation operation) {
        say(xid, operation, new byte[0]);
    }

    Version2Header hear() throws Exception {
        return Version2ByHand.header(client.receive());
    }

    /** Returns the RPC message of a call of {@link EchoProgram}. */
    byte[] rpc(int xid, int procedure, Consumer<XdrWriter> arguments) {
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, xid, EchoProgram.PROGRAM, 1, procedure, RawAuth.NONE);
            arguments.accept(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    byte[] rpc(int xid, RpcCall call) {
        return rpc(xid, call.procedure(), call.arguments());
    }

    /** Returns a call in one Send, without chunks. */
    byte[] call(int xid, RpcCall call) {
        return ManualConnection.message(
                new Version2Header.Msg(xid, CREDITS, Direction.CALL, ChunkLists.EMPTY),
                rpc(xid, call));
    }

    static void await(BooleanSupplier wanted) {
        Eventually.await(TIMEOUT, wanted::getAsBoolean);
    }

    /** Checks that the server keeps nothing of the client. */
    @Override
    public void close() {
        client.close();
        await(() -> server.openConnections() == 0 && server.clients() == 0);
        await(() -> server.leasedMemory() == 0);
        assertEquals(0, server.openWindows());
        server.close();
    }
}
