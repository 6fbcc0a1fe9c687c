package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.gss.ToyMechanism;
import io.github.rpcrdma4j.oncrpc.spi.Admission;
import io.github.rpcrdma4j.oncrpc.spi.Authenticator;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: RPCSEC_GSS works over real sockets. Method: a mechanism with two rounds of tokens. */
class GssOverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int DROPPED_FLAVOR = 77;
    private static final int LARGE = 300_001;

    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private final ToyMechanism mechanism = new ToyMechanism("alice", 2);
    private final GssServer contexts = new GssServer(mechanism);
    private final RpcDispatcher dispatcher =
            new RpcDispatcher(List.of(new EchoProgram()), List.of(contexts, new Dropping()));
    private RpcRdmaServer server;
    private RpcRdmaClient transport;

    /** An authenticator that drops every call of its flavor. */
    private static final class Dropping implements Authenticator {
        @Override
        public int flavor() {
            return DROPPED_FLAVOR;
        }

        @Override
        public boolean wrapsData(RawAuth credential) {
            return false;
        }

        @Override
        public Admission admit(CallHeader header, XdrReader arguments, ClientAddress client) {
            return new Admission.Dropped();
        }
    }

    /** A protection with the dropped flavor. */
    private static final class ToBeDropped extends Delegating {
        ToBeDropped() {
            super(CallProtection.of(new Credential.None()));
        }

        @Override
        public RawAuth credential() {
            return new RawAuth(DROPPED_FLAVOR, MemorySegment.ofArray(new byte[0]));
        }
    }

    /** Sends unwrapped arguments with a credential that requires wrapping, and reduces them. */
    private static final class Reducing extends Delegating {
        Reducing(CallProtection honest) {
            super(honest);
        }

        @Override
        public boolean wrapsData() {
            return false;
        }

        @Override
        public void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message) {
            arguments.accept(message);
        }
    }

    private static class Delegating implements CallProtection {
        private final CallProtection real;

        Delegating(CallProtection real) {
            this.real = real;
        }

        @Override
        public RawAuth credential() {
            return real.credential();
        }

        @Override
        public RawAuth verifier(MemorySegment header) throws RpcException {
            return real.verifier(header);
        }

        @Override
        public boolean wrapsData() {
            return real.wrapsData();
        }

        @Override
        public int replyVerifierMax() {
            return real.replyVerifierMax();
        }

        @Override
        public long wrappedMax(long resultsMax) {
            return real.wrappedMax(resultsMax);
        }

        @Override
        public void wrap(Consumer<XdrWriter> arguments, SegmentPool pool, XdrWriter message)
                throws RpcException {
            real.wrap(arguments, pool, message);
        }

        @Override
        public void check(RawAuth verifier) throws RpcException {
            real.check(verifier);
        }

        @Override
        public XdrReader unwrap(XdrReader results) throws RpcException {
            return real.unwrap(results);
        }
    }

    private interface Route {
        RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
                throws RpcException, InterruptedException;
    }

    private static RpcTransport routed(Route route) {
        return new RpcTransport() {
            @Override
            public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
                    throws RpcException, InterruptedException {
                return route.call(call, protection, timeout);
            }

            @Override
            public void close() {}
        };
    }

    @BeforeEach
    void connect() throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        dispatcher,
                        List.of(EchoProgram.BINDING),
                        RpcRdmaOptions.DEFAULT);
        transport = newTransport();
    }

    private RpcRdmaClient newTransport() throws Exception {
        return Connections.connect(
                provider,
                server.address(),
                new Credential.None(),
                List.of(EchoProgram.BINDING),
                RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, transport.openWindows());
        transport.close();
        server.close();
        contexts.close();
        assertEquals(0, transport.leasedMemory());
        assertEquals(0, server.leasedMemory());
        assertEquals(0, mechanism.open());
    }

    private long counted(Counter counter) {
        return transport.statistics().value(counter);
    }

    private static void swap(GssClient client, int size) throws Exception {
        byte[] bytes = EchoProgram.pattern(size, 3);
        var target = Arena.ofAuto().allocate(size + 1).asSlice(0, size);
        try (var reply =
                client.call(EchoProgram.swap(MemorySegment.ofArray(bytes), target), TIMEOUT)) {
            assertArrayEquals(bytes, reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
            reply.results().finish();
        }
    }

    @Test
    void placesDataThatIsNotWrapped() throws Exception {
        try (var client = new GssClient(transport, mechanism, GssService.NONE)) {
            swap(client, LARGE);
            assertEquals(1, counted(Counter.READ_CHUNKS));
            assertEquals(1, counted(Counter.WRITE_CHUNKS));
        }
    }

    @Test
    @Tag("8166-8.2.2.3-1")
    @Tag("8166-8.2.2.3-2")
    @Tag("8166-8.2.2.3-3")
    void reducesNothingThatIsWrapped() throws Exception {
        for (var service : List.of(GssService.INTEGRITY, GssService.PRIVACY)) {
            try (var client = new GssClient(newTransport(), mechanism, service)) {
                swap(client, 10);
            }
            transport.close();
            transport = newTransport();
            var client = new GssClient(transport, mechanism, service);
            swap(client, LARGE);
            assertEquals(0, counted(Counter.READ_CHUNKS));
            assertEquals(0, counted(Counter.WRITE_CHUNKS));
            assertEquals(1, counted(Counter.LONG_CALLS));
            assertEquals(1, counted(Counter.REPLY_CHUNKS));
            client.close();
        }
    }

    /** Goal: no reply exceeds its estimate. Method: all lengths around the inline threshold. */
    @Test
    @Tag("8166-8.2.2.2-1")
    void countsVerifiersAndWrapsInTheEstimateOfReplies() throws Exception {
        for (var service : GssService.values()) {
            try (var client = new GssClient(newTransport(), mechanism, service)) {
                for (int size = 3900; size < 4100; size++) {
                    try (var reply = client.call(EchoProgram.list(size, 5), TIMEOUT)) {
                        assertArrayEquals(
                                EchoProgram.pattern(size, 5), reply.results().bytes(size));
                    }
                }
            }
        }
    }

    @Test
    @Tag("8166-8.2.2-1")
    void keepsTokensWhole() throws Exception {
        var large = new ToyMechanism("a".repeat(50_000), 1);
        try (var client = new GssClient(transport, large, GssService.NONE);
                var reply = client.call(EchoProgram.nullCall(), TIMEOUT)) {
            reply.results().finish();
            assertEquals(1, counted(Counter.LONG_CALLS));
            assertEquals(0, counted(Counter.READ_CHUNKS));
        }
        assertEquals(0, large.open());
    }

    /** Goal: a server refuses a call that reduces items although its credential says wrapped. */
    @Test
    @Tag("8166-8.2.2.3-1")
    @Tag("8166-8.2.2.4-1")
    void takesNoItemsApartFromWhatIsWrapped() throws Exception {
        var honest = new GssClient(newTransport(), mechanism, GssService.INTEGRITY);
        swap(honest, 5);
        try (var liar =
                new GssClient(
                        routed(
                                (call, protection, timeout) ->
                                        transport.call(call, new Reducing(protection), timeout)),
                        mechanism,
                        GssService.INTEGRITY)) {
            var failure = assertThrows(RpcException.Refused.class, () -> swap(liar, LARGE));
            assertTrue(failure.getMessage().endsWith("GARBAGE_ARGS"), failure::getMessage);
            assertEquals(1, counted(Counter.READ_CHUNKS));
        }
        honest.close();
    }

    @Test
    void agreesOverTcpOnWhatIsUsedOverRdma() throws Exception {
        try (var tcp =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                dispatcher,
                                TcpRpcOptions.DEFAULT);
                var overTcp = TcpRpcClient.connect(tcp.address(), new Credential.None(), TIMEOUT);
                var client =
                        new GssClient(
                                routed(
                                        (call, protection, timeout) ->
                                                call.procedure() == 0
                                                        ? overTcp.call(call, protection, timeout)
                                                        : transport.call(
                                                                call, protection, timeout)),
                                mechanism,
                                GssService.PRIVACY)) {
            swap(client, LARGE);
            assertEquals(1, counted(Counter.CALLS));
        }
    }

    @Test
    void losesTheConnectionByACallThatIsDroppedAsItsCreditCannotComeBack() throws Exception {
        byte[] bytes = EchoProgram.pattern(LARGE, 3);
        var store = EchoProgram.store(LARGE, MemorySegment.ofArray(bytes));
        // The client has one credit before the first grant.
        transport.call(EchoProgram.nullCall(), TIMEOUT).close();
        for (int i = 0; i < 3; i++) {
            assertThrows(
                    RpcException.ConnectionLost.class,
                    () -> transport.call(store, new ToBeDropped(), TIMEOUT));
            transport.close();
            transport = newTransport();
            transport.call(EchoProgram.nullCall(), TIMEOUT).close();
        }
        try (var reply = transport.call(store, TIMEOUT)) {
            assertEquals(LARGE, reply.results().uint32());
        }
        assertEquals(3, server.statistics().value(Counter.DISCARDED));
        assertEquals(5, server.statistics().value(Counter.REPLIES));
    }
}
