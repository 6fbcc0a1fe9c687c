package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualConnection;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.session.Offer;
import io.github.rpcrdma4j.rpcrdma.session.WorkedExample;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: each end follows RFC 5666 to the byte. Method: the test plays the other end, over iWARP.
 */
class Rfc5666ByHandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int RECEIVE_BYTES = 8192;
    private static final byte[] SAYS_NOTHING = {};
    private static final int CREDITS = 4;
    private static final int NFS = 100003;
    private static final int READ = 6;
    private static final int XID = 0x0a0b0c0d;
    private static final ValueLayout.OfInt UINT32 =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final Rfc5666 UNCONFIGURED = Rfc5666.DEFAULT.withConfigures(false);

    private final RdmaProvider provider = new IwarpProvider();

    /** A binding for READ of NFSv3, whose results may be fetched or not. */
    private record Reading(boolean fetched) implements UpperLayerBinding {
        @Override
        public int program() {
            return NFS;
        }

        @Override
        public int version() {
            return 3;
        }

        @Override
        public Eligibility eligibility(int procedure) {
            return procedure == READ
                    ? new Eligibility(0, 1).withFetchedReplies(fetched)
                    : Eligibility.NONE;
        }

        static RpcCall call(int length) {
            var target = Arena.ofAuto().allocate(length);
            return new RpcCall(NFS, 3, READ, _ -> {}, 16, List.of(target)).withXid(XID);
        }
    }

    private RpcRdmaServer serve(Rfc5666 mode) throws Exception {
        return Connections.listen(
                provider,
                ManualPeer.LOOPBACK,
                List.of(new EchoProgram()),
                List.of(EchoProgram.FETCHED),
                RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build().withProfile(mode));
    }

    private static byte[] message(int xid, RpcCall call) {
        return ManualConnection.call(xid, CREDITS, call, ChunkLists.EMPTY);
    }

    private static byte[] done(int xid) {
        return ManualConnection.message(new Version1Header.Done(xid, CREDITS), new byte[0]);
    }

    private static void await(BooleanSupplier wanted) {
        Eventually.await(TIMEOUT, wanted::getAsBoolean);
    }

    @Test
    @Tag("5666-3.8-3")
    @Tag("5666-11-4")
    @Tag("5666-11-5")
    @Tag("5666-11-6")
    @Tag("5666-11-8")
    void releasesMemoryThatAClientDoesNotFetchInTime() throws Exception {
        var timeout = Duration.ofMillis(400);
        try (var server = serve(UNCONFIGURED.withDoneTimeout(timeout));
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            for (int xid = 1; xid <= CREDITS; xid++) {
                peer.send(message(xid, EchoProgram.list(50_000, xid)));
                var reply = assertInstanceOf(Version1Header.NoMsg.class, peer.receive().header());
                assertEquals(1, reply.chunks().readList().size());
                assertEquals(Math.max(1, CREDITS - xid), reply.credits());
            }
            // A credit and a receive are left, but the limit of exposed replies is reached.
            peer.send(message(99, EchoProgram.nullCall()));
            assertEquals(CREDITS, server.openWindows());
            assertEquals(
                    Optional.empty(), peer.receiveUnlessLost().map(heard -> heard.bytes().length));
            await(() -> server.openConnections() == 0 && server.leasedMemory() == 0);
            assertEquals(0, server.openWindows());
            await(() -> server.statistics().value(Counter.PEERS_STALLED) == 1);
        }
    }

    @Test
    @Tag("5666-3.8-6")
    @Tag("5666-3.8-8")
    @Tag("5666-11-5")
    void grantsMoreAgainWhenTheClientIsDone() throws Exception {
        try (var server = serve(UNCONFIGURED);
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            // Far more RDMA_DONEs than receives arrive.
            for (int xid = 1; xid <= 10 * CREDITS; xid++) {
                peer.send(message(xid, EchoProgram.list(5000, xid)));
                var exposed = peer.receive().header();
                assertEquals(CREDITS - 1, exposed.credits());
                peer.send(done(xid));
                // A second RDMA_DONE for the reply is discarded.
                peer.send(done(xid));
            }
            peer.send(message(99, EchoProgram.nullCall()));
            assertEquals(CREDITS, peer.receive().header().credits());
            assertEquals(0, server.openWindows());
            assertEquals(10 * CREDITS, server.statistics().value(FetchedCounter.DONE_NOTICES));
            assertEquals(10 * CREDITS, server.statistics().value(Counter.DISCARDED));
        }
    }

    @Test
    @Tag("5666-6.2-5")
    @Tag("5666-6.2-7")
    void exposesNothingToAClientThatAnswersNoRdmaRead() throws Exception {
        try (var server = serve(Rfc5666.DEFAULT);
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            peer.send(message(1, ConfRdma.call(new ConfRdma.Arguments(1024, 2048, 0))));
            var answer = MemorySegment.ofArray(peer.receive().bytes());
            assertEquals(28 + 24 + 12, answer.byteSize());
            assertEquals(RpcRdmaOptions.DEFAULT.inlineReceive(), answer.get(UINT32, 52));
            // Replies inline have at most the length that the client accepts.
            peer.send(message(2, EchoProgram.list(1900, 1)));
            assertInstanceOf(Version1Header.Msg.class, peer.receive().header());
            peer.send(message(3, EchoProgram.list(2100, 1)));
            assertInstanceOf(Version1Header.ChunkError.class, peer.receive().header());
            // The server does not fetch anything from this client either.
            var segment = new Segment(1, 5000, 0);
            var lists =
                    new ChunkLists(
                            List.of(new ReadSegment(44, segment)), List.of(), Optional.empty());
            byte[] call = message(4, EchoProgram.nullCall());
            byte[] payload = Arrays.copyOfRange(call, 28, call.length);
            peer.send(ManualConnection.message(new Version1Header.Msg(4, 1, lists), payload));
            assertInstanceOf(Version1Header.ChunkError.class, peer.receive().header());
        }
    }

    /**
     * Goal: a client that shows nothing of RFC 5666 gets the answers of RFC 8166. Method: results
     * that do not fit, and an item that would be aligned, before and after CONF_RDMA.
     */
    @Test
    @Tag("RPR-6-1")
    @Tag("5666-6-2")
    void exposesNothingToAClientThatDidNotConfigure() throws Exception {
        try (var server = serve(Rfc5666.DEFAULT);
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            peer.send(message(1, EchoProgram.list(50_000, 1)));
            assertInstanceOf(Version1Header.ChunkError.class, peer.receive().header());
            peer.send(message(2, EchoProgram.list(700, 1)));
            assertInstanceOf(Version1Header.Msg.class, peer.receive().header());
            assertEquals(0, server.statistics().value(Rfc5666.PADDED_MESSAGES));
            assertEquals(0, server.openWindows());
            peer.send(message(3, ConfRdma.call(new ConfRdma.Arguments(1024, 1024, 8))));
            peer.receive();
            peer.send(message(4, EchoProgram.list(50_000, 1)));
            var exposed = assertInstanceOf(Version1Header.NoMsg.class, peer.receive().header());
            assertEquals(1, exposed.chunks().readList().size());
            assertEquals(1, server.openWindows());
            peer.send(done(4));
            peer.send(message(5, EchoProgram.list(700, 1)));
            peer.receive();
            assertEquals(0, server.openWindows());
        }
    }

    /** Offers a Write chunk for a result of 5 bytes, and returns the chunks of the reply. */
    private ChunkLists fetched(ManualPeer peer, int xid, Offer... segments) throws Exception {
        var offered =
                Arrays.stream(segments)
                        .map(
                                each ->
                                        new Segment(
                                                each.handle(),
                                                (int) each.segment().byteSize(),
                                                each.address()))
                        .toList();
        var lists = new ChunkLists(List.of(), List.of(new WriteChunk(offered)), Optional.empty());
        var call = message(xid, EchoProgram.fetch(5, 1, MemorySegment.NULL));
        byte[] payload = Arrays.copyOfRange(call, 28, call.length);
        peer.send(ManualConnection.message(new Version1Header.Msg(xid, 1, lists), payload));
        return assertInstanceOf(Version1Header.Msg.class, peer.receive().header()).chunks();
    }

    private static List<Integer> lengths(ChunkLists returned) {
        return returned.writeList().getFirst().segments().stream().map(Segment::length).toList();
    }

    /** A client that used CONF_RDMA follows RFC 5666; any other client may follow RFC 8166. */
    @Test
    @Tag("5666-3.7-5")
    void countsPaddingThatItDoesNotWriteForAClientThatConfigures() throws Exception {
        try (var server = serve(Rfc5666.DEFAULT);
                var peer =
                        ManualPeer.connect(
                                provider, server.address(), SAYS_NOTHING, RECEIVE_BYTES)) {
            var first = peer.offer(4, Access.REMOTE_WRITE);
            var second = peer.offer(8, Access.REMOTE_WRITE);
            assertEquals(List.of(4, 1), lengths(fetched(peer, 1, first, second)));
            peer.send(message(2, ConfRdma.call(new ConfRdma.Arguments(1024, 2048, 4))));
            peer.receive();
            second.segment().fill((byte) 0x77);
            assertEquals(List.of(4, 4), lengths(fetched(peer, 3, first, second)));
            assertEquals(
                    EchoProgram.pattern(5, 1)[4], second.segment().get(ValueLayout.JAVA_BYTE, 0));
            for (int i = 1; i < 8; i++) {
                assertEquals(0x77, second.segment().get(ValueLayout.JAVA_BYTE, i));
            }
        }
    }

    /** The results of a client's call, and the message that it sent after the answer. */
    private record Outcome(String results, Optional<byte[]> after, long discarded) {}

    /**
     * Makes a client send a call, and answers it with a worked example.
     *
     * @param listens whether a message must follow the answer
     */
    private Outcome exchange(String example, boolean fetched, int length, boolean listens)
            throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(new Reading(fetched)),
                                            RpcRdmaOptions.DEFAULT.toBuilder()
                                                    .credits(32)
                                                    .segmentMax(4096)
                                                    .build()
                                                    .withProfile(UNCONFIGURED)));
            try (var server = ManualPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES);
                    var client = connecting.get()) {
                var outcome = threads.submit(() -> results(client, length));
                var call = new WorkedExample(server.receive().bytes());
                assertEquals(fetched, call.chunks().isEmpty());
                var answer = WorkedExample.of(example);
                var real = fetched ? answer.pairedWith(opened(server)) : answer.pairedWith(call);
                server.send(answer.in(real).bytes());
                var after =
                        listens ? Optional.of(server.receive().bytes()) : Optional.<byte[]>empty();
                return new Outcome(
                        outcome.get(), after, client.statistics().value(Counter.DISCARDED));
            }
        }
    }

    /** Returns a message with one Read segment that refers to memory with a pattern. */
    private static WorkedExample opened(ManualPeer server) {
        Offer region = server.offer(4096, Access.REMOTE_READ);
        EchoProgram.fill(region.segment(), 5);
        var segment = new Segment(region.handle(), 4096, region.address());
        var lists =
                new ChunkLists(List.of(new ReadSegment(44, segment)), List.of(), Optional.empty());
        return new WorkedExample(
                ManualConnection.message(new Version1Header.Msg(1, 1, lists), new byte[8]));
    }

    private static String results(RpcRdmaClient client, int length) throws Exception {
        try (var reply = client.call(Reading.call(length), TIMEOUT)) {
            var in = reply.results();
            in.fixedOpaque(16);
            var data = in.bulk(length);
            in.finish();
            if (length == 4096) {
                assertArrayEquals(
                        EchoProgram.pattern(4096, 5), data.toArray(ValueLayout.JAVA_BYTE));
            }
            return data.byteSize() + " bytes";
        } catch (RpcException failure) {
            return failure.getMessage();
        }
    }

    /** The client answers EX-24 with EX-22. */
    @Test
    @Tag("5666-3.4-3")
    @Tag("5666-3.5-3")
    void fetchesAnExposedReplyAndSendsRdmaDone() throws Exception {
        var outcome = exchange("EX-24", true, 4096, true);
        assertEquals("4096 bytes", outcome.results);
        assertArrayEquals(Golden.bytes("EX-22"), outcome.after.orElseThrow());
    }

    private static Thread calling(RpcClient client, RpcCall call) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                client.call(call, TIMEOUT).close();
                            } catch (RpcException | InterruptedException ended) {
                                // The test ends the connection.
                            }
                        });
    }

    /**
     * Goal: the RDMA_DONE for a reply takes a credit that no call takes. Method: two calls that may
     * owe one wait for the same credits.
     */
    @Test
    @Tag("5666-3.8-5")
    @Tag("5666-3.8-7")
    void keepsACreditForEachRdmaDoneThatItMayOwe() throws Exception {
        // One more credit is kept for the calls that test the connection.
        int grant = 3;
        int length = 4096;
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(new Reading(true)),
                                            RpcRdmaOptions.DEFAULT.toBuilder()
                                                    .credits(32)
                                                    .build()
                                                    .withProfile(UNCONFIGURED)));
            try (var server = ManualPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES);
                    var client = connecting.get()) {
                var first = threads.submit(() -> client.call(EchoProgram.nullCall(), TIMEOUT));
                int xid = server.receive().header().xid();
                server.send(
                        ManualConnection.message(
                                new Version1Header.Msg(xid, grant, ChunkLists.EMPTY),
                                success(xid, 24)));
                first.get().close();

                calling(client, Reading.call(length));
                assertEquals(XID, server.receive().header().xid());
                var waiting = calling(client, Reading.call(length).withXid(XID + 1));
                await(
                        () ->
                                waiting.getState() == Thread.State.WAITING
                                        || waiting.getState() == Thread.State.TIMED_WAITING);
                var region = server.offer(length, Access.REMOTE_READ);
                var segment = new Segment(region.handle(), length, region.address());
                var lists =
                        new ChunkLists(
                                List.of(new ReadSegment(44, segment)), List.of(), Optional.empty());
                byte[] reply = success(XID, 44);
                MemorySegment.ofArray(reply).set(UINT32, 40, length);
                server.send(
                        ManualConnection.message(new Version1Header.Msg(XID, grant, lists), reply));
                // The other call comes after the RDMA_DONE.
                var done = server.receive().header();
                assertEquals(XID, assertInstanceOf(Version1Header.Done.class, done).xid());
                assertEquals(XID + 1, server.receive().header().xid());
            }
        }
    }

    /** Returns the start of a reply, filled up with zeros. */
    private static byte[] success(int xid, int length) {
        byte[] reply = new byte[length];
        MemorySegment.ofArray(reply).set(UINT32, 0, xid);
        MemorySegment.ofArray(reply).set(UINT32, 4, 1);
        return reply;
    }

    @Test
    @Tag("5666-4.3-2")
    void failsACallForAnErrorOfAnyCode() throws Exception {
        var outcome = exchange("EX-21", true, 4096, false);
        assertEquals("the peer refused the call with the error 3", outcome.results);
    }

    /** The client accepts both EX-10 and EX-11. */
    @Test
    void acceptsLengthsOfWriteChunksThatCountPadding() throws Exception {
        assertEquals("4999 bytes", exchange("EX-10", false, 8192, false).results);
        assertEquals("4999 bytes", exchange("EX-11", false, 8192, false).results);
    }

    @Test
    @Tag("5666-6.2-1")
    @Tag("5666-6.2-3")
    @Tag("5666-6.2-4")
    void startsWithTheConfigurationProtocolAndUsesItsValues() throws Exception {
        try (var listener = provider.listen(ManualPeer.LOOPBACK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var connecting =
                    threads.submit(
                            () ->
                                    Connections.connect(
                                            provider,
                                            listener.address(),
                                            new Credential.None(),
                                            List.of(),
                                            RpcRdmaOptions.DEFAULT.toBuilder()
                                                    .inlineSend(8192)
                                                    .inlineReceive(8192)
                                                    .build()
                                                    .withProfile(Rfc5666.DEFAULT)));
            try (var server = ManualPeer.accept(provider, listener, SAYS_NOTHING, RECEIVE_BYTES)) {
                byte[] first = server.receive().bytes();
                var in = new XdrReader(MemorySegment.ofArray(first).asSlice(28));
                var asked = CallHeader.decode(in);
                assertEquals(ConfRdma.PROGRAM, asked.program());
                assertEquals(8192, in.uint32());
                byte[] answer = Golden.bytes("EX-29");
                System.arraycopy(first, 0, answer, 0, 4);
                System.arraycopy(first, 0, answer, 28, 4);
                server.send(answer);
                try (var client = connecting.get()) {
                    // A message of 2048 bytes with its header goes inline; a longer one does not.
                    threads.submit(() -> tell(client, 2048 - 28 - 40 - 4));
                    assertInstanceOf(Version1Header.Msg.class, server.receive().header());
                    threads.submit(() -> tell(client, 2048 - 28 - 40));
                    assertInstanceOf(Version1Header.NoMsg.class, server.receive().header());
                }
            }
        }
    }

    private static void tell(RpcRdmaClient client, int length) {
        var call = EchoProgram.tell(MemorySegment.ofArray(new byte[length]));
        assertThrows(RpcException.ConnectionLost.class, () -> client.call(call, TIMEOUT));
    }
}
