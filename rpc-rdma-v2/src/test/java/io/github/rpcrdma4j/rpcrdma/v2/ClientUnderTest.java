package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.CREDITS;
import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.InitialExchange;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation.TransmitRequest;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Subset;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** A client of ours, over iWARP, whose server the test plays in version 2. */
final class ClientUnderTest implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final byte[] SAYS_NOTHING = {};

    private final RdmaProvider provider = new IwarpProvider();
    private final SegmentPool pool = new SegmentPool(1 << 16);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Listener listener = provider.listen(ManualPeer.LOOPBACK);
    private final Future<RpcRdmaClient> connecting;
    final ManualPeer server;

    /** The first message of the client. */
    final ManualPeer.ReceivedMessage hello;

    /**
     * Connects; the client has sent its first message and waits for the answer.
     *
     * @param receiveBytes the length of the server's receives
     */
    ClientUnderTest(RpcRdmaOptions options, int receiveBytes) throws Exception {
        this(options, receiveBytes, SAYS_NOTHING);
    }

    /**
     * @param receiveBytes the length of the server's receives
     * @param privateData the private data of the server
     */
    ClientUnderTest(RpcRdmaOptions options, int receiveBytes, byte[] privateData) throws Exception {
        this(Optional.empty(), options, receiveBytes, privateData);
    }

    /**
     * @param served the programs that the server may call
     * @param receiveBytes the length of the server's receives
     */
    ClientUnderTest(RpcDispatcher served, RpcRdmaOptions options, int receiveBytes)
            throws Exception {
        this(Optional.of(served), options, receiveBytes, SAYS_NOTHING);
    }

    private ClientUnderTest(
            Optional<RpcDispatcher> served,
            RpcRdmaOptions options,
            int receiveBytes,
            byte[] privateData)
            throws Exception {
        connecting = threads.submit(() -> connect(served, options));
        server = ManualPeer.accept(provider, listener, privateData, receiveBytes);
        hello = server.receive();
    }

    private RpcRdmaClient connect(Optional<RpcDispatcher> served, RpcRdmaOptions options)
            throws Exception {
        var address = listener.address();
        var credential = new Credential.None();
        var bindings = List.of(EchoProgram.BINDING);
        return served.isPresent()
                ? Connections.connect(
                        provider, address, credential, bindings, served.get(), options)
                : Connections.connect(provider, address, credential, bindings, options);
    }

    /** Sends the server's characteristics. */
    void introduce(Characteristic... announced) {
        introduce(CREDITS, announced);
    }

    /**
     * @param credits the credits that the server grants
     */
    void introduce(int credits, Characteristic... announced) {
        var offer = new InitialExchange(List.of(announced), Subset.of());
        say(
                new Version2Header.Option(header(hello).xid(), credits, Direction.REPLY, offer),
                new byte[0]);
    }

    /** Returns the client, once its first message has been answered. */
    RpcRdmaClient client() throws Exception {
        return connecting.get();
    }

    void say(Version2Header header, byte[] payload) {
        server.send(ManualConnection.message(header, payload));
    }

    void say(int xid, Operation operation) {
        server.send(Version2ByHand.option(xid, Direction.REPLY, operation));
    }

    Version2Header hear() throws Exception {
        return header(server.receive());
    }

    /** Starts a call of the client, which the test answers. */
    Future<RpcReply> start(RpcCall call) {
        return threads.submit(() -> client().call(call, TIMEOUT));
    }

    /** Returns the RPC message of a reply. */
    byte[] success(int xid, Consumer<XdrWriter> results) {
        try (var out = new XdrWriter(pool)) {
            new ReplyHeader.Success(xid).encode(out);
            results.accept(out);
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Answers a call in one Send. */
    void succeed(int xid, int credits, Consumer<XdrWriter> results) {
        say(
                new Version2Header.Msg(xid, credits, Direction.REPLY, ChunkLists.EMPTY),
                success(xid, results));
    }

    /** Returns the Sends of a call, which is answered without results. */
    List<ManualPeer.ReceivedMessage> call(RpcCall call) throws Exception {
        var calling = start(call);
        var sends = hearAll();
        succeed(header(sends.getFirst()).xid(), CREDITS, _ -> {});
        calling.get().close();
        return sends;
    }

    /** Returns the Sends of the next call. */
    List<ManualPeer.ReceivedMessage> hearAll() throws Exception {
        var sends = new ArrayList<>(List.of(server.receive()));
        if (header(sends.getFirst())
                instanceof Version2Header.Option(_, _, _, TransmitRequest first)) {
            while (sends.size() < first.count()) {
                sends.add(server.receive());
            }
        }
        return sends;
    }

    /** Checks that the calls left no memory behind. */
    @Override
    public void close() {
        try {
            if (connecting.state() == Future.State.SUCCESS) {
                var client = connecting.resultNow();
                int regions = client.openWindows();
                client.close();
                assertEquals(0, regions);
                assertEquals(0, client.leasedMemory());
            }
        } finally {
            server.close();
            listener.close();
            threads.close();
        }
    }
}
