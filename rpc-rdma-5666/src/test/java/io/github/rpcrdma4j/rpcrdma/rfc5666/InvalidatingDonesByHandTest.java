package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.Offer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: RDMA_DONE invalidates a handle of the reply that was fetched, if and only if both ends have
 * agreed. Method: the test plays the other end, over iWARP.
 */
class InvalidatingDonesByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 8192;
    private static final int CREDITS = 8;
    private static final int LISTED_BYTES = 20_000;
    private static final int HEADER_BYTES = 28;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final RdmaProvider provider = new IwarpProvider();

    private static RpcRdmaOptions options(boolean invalidation, Rfc5666 profile) {
        return RpcRdmaOptions.DEFAULT.toBuilder()
                .credits(CREDITS)
                .remoteInvalidation(invalidation)
                .build()
                .withProfile(profile);
    }

    private static byte[] privateData(boolean invalidation) {
        return new PrivateData(invalidation, RECEIVE_BYTES, RECEIVE_BYTES).encode();
    }

    private static byte[] done(int xid) {
        return ManualConnection.message(new Version1Header.Done(xid, CREDITS), new byte[0]);
    }

    /** Returns the start of a successful reply, filled up with zeros. */
    private static byte[] success(int xid, int length) {
        byte[] reply = new byte[length];
        MemorySegment.ofArray(reply).set(UINT32, 0, xid);
        MemorySegment.ofArray(reply).set(UINT32, 4, 1);
        return reply;
    }

    /** Answers CONF_RDMA. */
    private static void configure(ManualPeer server) throws Exception {
        byte[] asked = server.receive().bytes();
        byte[] answer = Golden.bytes("EX-29");
        System.arraycopy(asked, 0, answer, 0, Integer.BYTES);
        System.arraycopy(asked, 0, answer, HEADER_BYTES, Integer.BYTES);
        server.send(answer);
    }

    /** Exposes the reply to a LIST call in two segments, and returns their handles. */
    private static List<Integer> expose(ManualPeer server, int xid) {
        byte[] reply = success(xid, 24 + 4 + LISTED_BYTES);
        var bytes = MemorySegment.ofArray(reply);
        bytes.set(UINT32, 24, LISTED_BYTES);
        int half = reply.length / 8 * 4;
        var first = server.offer(half, Access.REMOTE_READ);
        var second = server.offer(reply.length - half, Access.REMOTE_READ);
        first.segment().copyFrom(bytes.asSlice(0, half));
        second.segment().copyFrom(bytes.asSlice(half));
        var lists =
                new ChunkLists(
                        List.of(segment(first), segment(second)), List.of(), Optional.empty());
        server.send(
                ManualConnection.message(
                        new Version1Header.NoMsg(xid, CREDITS, lists), new byte[0]));
        return List.of(first.handle(), second.handle());
    }

    private static ReadSegment segment(Offer region) {
        var bytes = (int) region.segment().byteSize();
        return new ReadSegment(0, new Segment(region.handle(), bytes, region.address()));
    }

    @ParameterizedTest
    @CsvSource({
        "true, true, true",
        "true, true, false",
        "true, false, true",
        "false, true, true",
        "false, false, true"
    })
    @Tag("RPR-4.1.4-1")
    @Tag("RPR-4.1.4-2")
    @Tag("RPR-4.1.4-3")
    void invalidatesTheFirstHandleIfBothSidesSaidSo(
            boolean client, boolean server, boolean configures) throws Exception {
        var profile = Rfc5666.DEFAULT.withConfigures(configures);
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(EchoProgram.FETCHED),
                                            options(client, profile)));
            try (var peer =
                    ManualPeer.accept(provider, listener, privateData(server), RECEIVE_BYTES)) {
                if (configures) {
                    configure(peer);
                }
                try (var calling = connecting.get()) {
                    var listed = threads.submit(() -> list(calling));
                    int xid = peer.receive().header().xid();
                    var handles = expose(peer, xid);
                    var done = peer.receive();
                    assertArrayEquals(done(xid), done.bytes());
                    boolean agreed = client && server && configures;
                    assertEquals(agreed, done.completion().invalidated());
                    if (agreed) {
                        assertEquals(handles.getFirst(), done.completion().invalidatedHandle());
                    }
                    assertEquals(LISTED_BYTES, listed.get());
                }
            }
        }
    }

    private static long list(RpcRdmaClient client) throws Exception {
        try (var reply = client.call(EchoProgram.list(LISTED_BYTES, 1), TIMEOUT)) {
            return reply.results().opaque(LISTED_BYTES).byteSize();
        }
    }

    private RpcRdmaServer serve() throws Exception {
        return Connections.listen(
                provider,
                ManualPeer.LOOPBACK,
                List.of(new EchoProgram()),
                List.of(EchoProgram.FETCHED),
                options(true, Rfc5666.DEFAULT));
    }

    private ManualPeer connect(RpcRdmaServer server) throws Exception {
        var peer = ManualPeer.connect(provider, server.address(), privateData(true), RECEIVE_BYTES);
        assertTrue(PrivateData.find(peer.privateData()).orElseThrow().remoteInvalidation());
        call(peer, 1, ConfRdma.call(new ConfRdma.Arguments(RECEIVE_BYTES, RECEIVE_BYTES, 4)));
        return peer;
    }

    private static Version1Header call(ManualPeer peer, int xid, RpcCall call) throws Exception {
        peer.send(ManualConnection.call(xid, CREDITS, call, ChunkLists.EMPTY));
        return peer.receive().header();
    }

    /** Makes a LIST call and returns the first segment of its reply. */
    private static Segment exposed(ManualPeer peer, int xid) throws Exception {
        var reply =
                assertInstanceOf(
                        Version1Header.NoMsg.class,
                        call(peer, xid, EchoProgram.list(LISTED_BYTES, xid)));
        return reply.chunks().readList().getFirst().target();
    }

    @Test
    @Tag("RPR-4.1.4-4")
    void releasesAReplyWhoseHandleRdmaDoneInvalidates() throws Exception {
        try (var server = serve();
                var peer = connect(server)) {
            for (int xid = 10; xid < 10 + 3 * CREDITS; xid++) {
                var segment = exposed(peer, xid);
                assertEquals(1, server.openWindows());
                peer.read(segment);
                peer.send(done(xid), OptionalInt.of(segment.handle()));
            }
            call(peer, 99, EchoProgram.nullCall());
            assertEquals(0, server.openWindows());
            assertEquals(3 * CREDITS, server.statistics().value(Counter.REMOTE_INVALIDATIONS));
        }
    }

    @Test
    @Tag("RPR-4.1.4-5")
    void aHandleOfAnotherReplyCostsTheConnection() throws Exception {
        try (var server = serve();
                var peer = connect(server)) {
            var other = exposed(peer, 10);
            exposed(peer, 11);
            peer.send(done(11), OptionalInt.of(other.handle()));
            assertEquals(
                    Optional.empty(), peer.receiveUnlessLost().map(heard -> heard.bytes().length));
        }
    }

    @Test
    void aHandleThatIsNoLongerExposedCostsTheConnection() throws Exception {
        try (var server = serve();
                var peer = connect(server)) {
            var segment = exposed(peer, 10);
            peer.send(done(10));
            call(peer, 11, EchoProgram.nullCall());
            peer.send(done(10), OptionalInt.of(segment.handle()));
            assertEquals(
                    Optional.empty(), peer.receiveUnlessLost().map(heard -> heard.bytes().length));
        }
    }
}
