package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpOptions;
import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.OneVersion;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: endpoints agree on a version, and calls work in it, over real sockets. */
class Version2OverIwarpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final RpcRdmaOptions ONLY_1 = RpcRdmaOptions.DEFAULT;
    private static final RpcRdmaOptions AUTO =
            RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(Version2.DEFAULT));
    private static final RpcRdmaOptions ONLY_2 =
            RpcRdmaOptions.DEFAULT.withProfile(
                    new Version2Profile(Version2.DEFAULT.withSpeaks1(false)));

    /** Calls the client back, and returns the result of that call. */
    private static final class Asker extends OneVersion {
        static final int PROGRAM = 0x2000_0049;

        Asker() {
            super(PROGRAM, 1);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            request.arguments().finish();
            try (var back = request.reverse().orElseThrow().client(new Credential.None());
                    var reply = back.call(EchoProgram.list(900, 5), TIMEOUT)) {
                results.opaque(reply.results().opaque(900));
                return AcceptStatus.SUCCESS;
            } catch (RpcException failure) {
                return AcceptStatus.SYSTEM_ERR;
            }
        }
    }

    private final RdmaProvider provider = new IwarpProvider(IwarpOptions.DEFAULT);
    private RpcRdmaServer server;
    private RpcRdmaClient client;

    private void serve(RpcRdmaOptions options) throws Exception {
        server =
                Connections.listen(
                        provider,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        List.of(new EchoProgram(), new Asker()),
                        List.of(EchoProgram.BINDING),
                        options);
    }

    private void connect(RpcRdmaOptions options) throws Exception {
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        options);
    }

    @AfterEach
    void everythingIsGivenBack() {
        if (client != null) {
            assertEquals(0, client.openWindows());
            client.close();
            assertEquals(0, client.leasedMemory());
        }
        server.close();
        assertEquals(0, server.leasedMemory());
        assertEquals(0, server.openConnections());
    }

    private void swap(int size) throws Exception {
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(size + 8).asSlice(0, size);
            EchoProgram.fill(data, size);
            var target = arena.allocate(size + 8).asSlice(0, size);
            try (var reply = client.call(EchoProgram.swap(data, target), TIMEOUT)) {
                assertArrayEquals(
                        data.toArray(ValueLayout.JAVA_BYTE),
                        reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
            }
            try (var reply = client.call(EchoProgram.tell(data), TIMEOUT)) {
                assertEquals(EchoProgram.sum(data), reply.results().uint64());
            }
            try (var reply = client.call(EchoProgram.list(size, 9), TIMEOUT)) {
                assertArrayEquals(
                        EchoProgram.pattern(size, 9), bytes(reply.results().opaque(size)));
            }
        }
    }

    private static byte[] bytes(MemorySegment data) {
        return data.toArray(ValueLayout.JAVA_BYTE);
    }

    private void callsOfEverySizeWork() throws Exception {
        for (int size : new int[] {0, 1, 100, 3900, 4000, 4060, 4096, 5000, 65536, 1_000_001}) {
            swap(size);
        }
    }

    /** Goal: a call whose reply needs more memory than there is fails alone. */
    @Test
    void aCallWithoutMemoryForItsReplyLeavesTheConnectionAlone() throws Exception {
        serve(AUTO);
        connect(ONLY_2);
        swap(100);
        var target = Arena.ofAuto().allocate(1 << 20);
        var list =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        EchoProgram.LIST,
                        out -> out.uint32(100).uint32(1),
                        RpcCall.RESULTS_BYTES_MAX,
                        List.of(target));
        assertThrows(IllegalArgumentException.class, () -> client.call(list, TIMEOUT));
        swap(100);
    }

    @Test
    @Tag("RTR-2-1")
    @Tag("V2-4.2.1-1")
    @Tag("V2-4.2.1-4")
    @Tag("XCH-3.2-4")
    @Tag("XCH-3.2-5")
    void callsTravelInVersion2() throws Exception {
        serve(AUTO);
        connect(ONLY_2);
        assertEquals(2, client.version());
        callsOfEverySizeWork();
        assertTrue(client.statistics().value(Counter.READ_CHUNKS) > 0);
        assertTrue(client.statistics().value(Counter.LONG_CALLS) > 0);
        assertTrue(client.statistics().value(Counter.WRITE_CHUNKS) > 0);
        assertTrue(client.statistics().value(Counter.REPLY_CHUNKS) > 0);
        assertTrue(client.statistics().value(Counter.REMOTE_INVALIDATIONS) > 0);
        assertEquals(0, server.statistics().value(Counter.DISCARDED));
    }

    @Test
    @Tag("V2-5.2-2")
    @Tag("V2-5.2-3")
    void serverOfVersion1IsCalledInVersion1() throws Exception {
        serve(ONLY_1);
        connect(AUTO);
        assertEquals(1, client.version());
        callsOfEverySizeWork();
        assertEquals(1, server.statistics().value(Counter.VERSION_ERRORS));
        client.close();
        // The client profile remembers the version of this server.
        connect(AUTO);
        swap(5000);
        assertEquals(1, server.statistics().value(Counter.VERSION_ERRORS));
    }

    @Test
    @Tag("V2-5-3")
    void clientOfVersion1IsServedByAServerOfBoth() throws Exception {
        serve(AUTO);
        connect(ONLY_1);
        assertEquals(1, client.version());
        callsOfEverySizeWork();
    }

    @Test
    void failsInOneLineWithoutACommonVersion() throws Exception {
        serve(ONLY_1);
        var failure = assertThrows(RpcException.Unreachable.class, () -> connect(ONLY_2));
        assertTrue(failure.getMessage().endsWith("does not speak version 2 of RPC-over-RDMA"));
    }

    /** A server that does not answer may be slow, or lost. What it speaks is not known. */
    @Test
    void saysThatAServerDidNotAnswer() throws Exception {
        serve(ONLY_1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var listener = provider.listen(ManualPeer.LOOPBACK)) {
            var silent =
                    threads.submit(
                            () -> {
                                ManualPeer.accept(provider, listener, new byte[0], 4096).close();
                                return null;
                            });
            var failure =
                    assertThrows(
                            RpcException.Unreachable.class,
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.BINDING),
                                            ONLY_2));
            silent.get();
            assertTrue(
                    failure.getMessage().endsWith("does not answer version 2 of RPC-over-RDMA"),
                    failure::getMessage);
        }
    }

    @Test
    @Tag("V2-5.2-1")
    void serverOfVersion2AloneRefusesOthers() throws Exception {
        serve(ONLY_2);
        connect(ONLY_1);
        var failure =
                assertThrows(
                        RpcException.TransportRefused.class,
                        () -> client.call(EchoProgram.nullCall(), TIMEOUT));
        assertTrue(failure.getMessage().contains("version 2,"), failure.getMessage());
    }

    @Test
    @Tag("V2-4.2.2-1")
    @Tag("RTR-1.4-1")
    void serverCallsBackInVersion2() throws Exception {
        serve(AUTO);
        client =
                Connections.connect(
                        provider,
                        server.address(),
                        new Credential.None(),
                        List.of(EchoProgram.BINDING),
                        new RpcDispatcher(List.of(new EchoProgram())),
                        ONLY_2);
        for (int i = 0; i < 20; i++) {
            var call = new RpcCall(Asker.PROGRAM, 1, 1, _ -> {}, 1000);
            try (var reply = client.call(call, TIMEOUT)) {
                assertArrayEquals(EchoProgram.pattern(900, 5), bytes(reply.results().opaque(900)));
            }
            swap(6000);
        }
        assertEquals(20, server.reverseStatistics().value(Counter.REPLIES));
    }

    @Test
    @Tag("V2-5.2-5")
    @Tag("XCH-4.4-1")
    @Tag("XCH-3.1-4")
    @Tag("XCH-4.3-4")
    void receiveSizeChangesWhenTheClientAsks() throws Exception {
        var single = Version2.DEFAULT.withSpeaks1(false).withoutTransmissions();
        serve(RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(single)));
        connect(
                RpcRdmaOptions.DEFAULT
                        .withProfile(new Version2Profile(single.withWantedReceive(16 << 10)))
                        .toBuilder()
                        .inlineSend(16 << 10)
                        .inlineReceive(4 << 10)
                        .build());
        try (var arena = Arena.ofShared()) {
            var data = arena.allocate(8000);
            EchoProgram.fill(data, 1);
            // Each receive of the old size has to be used up once.
            for (int i = 0; i < 200; i++) {
                try (var reply = client.call(EchoProgram.store(i, data), TIMEOUT)) {
                    assertEquals(i, reply.results().uint32());
                    assertEquals(EchoProgram.sum(data), reply.results().uint64());
                }
            }
        }
        long chunks = client.statistics().value(Counter.READ_CHUNKS);
        assertTrue(chunks > 0 && chunks < 150, "Read chunks: " + chunks);
    }
}
