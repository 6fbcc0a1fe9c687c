package io.github.rpcrdma4j.rpcrdma.session;

import static io.github.rpcrdma4j.testing.Eventually.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a server obeys the rules of a responder. Method: a client that the test operates by hand,
 * over iWARP.
 */
class ResponderOverIwarpTest {
    private static final int RECEIVE_BYTES = 4096;
    private static final int CALL_HEADER = 40;
    private static final int REPLY_HEADER = 24;
    private static final int XID = 0x0a0b0c0d;
    private static final int SEED = 7;
    private static final byte[] INVALIDATES = new PrivateData(true, 4096, 4096).encode();

    private final RdmaProvider provider = new IwarpProvider();
    private RpcRdmaServer server;
    private ManualPeer client;

    private void connect(byte[] privateData, RpcRdmaOptions options) throws Exception {
        server =
                Connections.listen(
                        provider,
                        ManualPeer.LOOPBACK,
                        List.of(new EchoProgram()),
                        List.of(EchoProgram.BINDING),
                        options);
        client = ManualPeer.connect(provider, server.address(), privateData, RECEIVE_BYTES);
    }

    private void connect() throws Exception {
        connect(new byte[0], RpcRdmaOptions.DEFAULT);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        assertEquals(0, server.leasedMemory());
    }

    private Segment target(int length) {
        return client.offer(length, Access.REMOTE_WRITE).part(0, length);
    }

    private static WriteChunk of(Segment... segments) {
        return new WriteChunk(List.of(segments));
    }

    private static ChunkLists writing(WriteChunk... chunks) {
        return new ChunkLists(List.of(), List.of(chunks), Optional.empty());
    }

    private ManualPeer.ReceivedMessage exchange(RpcCall call, ChunkLists chunks) throws Exception {
        client.send(ManualConnection.call(XID, 1, call, chunks));
        return client.receive();
    }

    private static RpcCall fetch(int length) {
        return EchoProgram.fetch(length, SEED, MemorySegment.NULL);
    }

    private static ChunkLists chunks(ManualPeer.ReceivedMessage reply) {
        return switch (reply.header()) {
            case Version1Header.Msg(_, _, var chunks) -> chunks;
            case Version1Header.NoMsg(_, _, var chunks) -> chunks;
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    throw new AssertionError("no reply: " + reply.header());
        };
    }

    private static byte[] payload(ManualPeer.ReceivedMessage reply) {
        int header = ManualConnection.decode(reply.bytes()).length();
        return Arrays.copyOfRange(reply.bytes(), header, reply.bytes().length);
    }

    private static List<Integer> lengths(WriteChunk chunk) {
        return chunk.segments().stream().map(Segment::length).toList();
    }

    /** Goal: a result fills its chunk in order, and its length comes back in all segments. */
    @Test
    @Tag("8166-3.4.6-2")
    @Tag("8166-3.4.6-3")
    @Tag("8166-3.4.6.2-3")
    @Tag("8166-4.3.2-2")
    @Tag("5666-3.6-1")
    void fillsTheSegmentsOfAChunkInOrder() throws Exception {
        connect();
        var memory = client.offer(9000, Access.REMOTE_WRITE);
        var offered = of(memory.part(6000, 3000), memory.part(0, 3000), memory.part(3000, 3000));
        var reply = exchange(fetch(5000), writing(offered));
        var returned = chunks(reply).writeList().getFirst();
        assertEquals(List.of(3000, 2000, 0), lengths(returned));
        for (int i = 0; i < 3; i++) {
            assertEquals(offered.segments().get(i).handle(), returned.segments().get(i).handle());
            assertEquals(offered.segments().get(i).offset(), returned.segments().get(i).offset());
        }
        assertEquals(REPLY_HEADER + 8, payload(reply).length, "the data is not inline as well");
        byte[] data = EchoProgram.pattern(5000, SEED);
        byte[] written = memory.segment().toArray(ValueLayout.JAVA_BYTE);
        assertArrayEquals(Arrays.copyOf(data, 3000), Arrays.copyOfRange(written, 6000, 9000));
        assertArrayEquals(Arrays.copyOfRange(data, 3000, 5000), Arrays.copyOf(written, 2000));
        assertArrayEquals(new byte[4000], Arrays.copyOfRange(written, 2000, 6000));
    }

    @Test
    @Tag("8166-4.3.2.1-1")
    @Tag("8166-4.3.2.2-3")
    void returnsAChunkBeyondTheResultsUnused() throws Exception {
        connect();
        var first = of(target(3000));
        var second = of(target(3000));
        var returned = chunks(exchange(fetch(3000), writing(first, second))).writeList();
        assertEquals(List.of(first, second.unused()), returned);
    }

    @Test
    @Tag("8166-4.3.2.3-2")
    void sendsAResultInlineForAnEmptyChunk() throws Exception {
        connect();
        var reply = exchange(fetch(100), writing(of()));
        assertEquals(List.of(of()), chunks(reply).writeList());
        byte[] payload = payload(reply);
        assertEquals(REPLY_HEADER + 8 + 100, payload.length);
        assertArrayEquals(
                EchoProgram.pattern(100, SEED),
                Arrays.copyOfRange(payload, REPLY_HEADER + 8, payload.length));
    }

    /**
     * Goal: results move to their Write chunk first, and the rest fills the Reply chunk only if it
     * is too long. Method: the procedure returns its argument twice, once where it may not move.
     */
    @ParameterizedTest
    @ValueSource(ints = {200, 5000})
    @Tag("8166-3.5.3-5")
    @Tag("8166-4.3.3-3")
    @Tag("8166-3.5.3-1")
    @Tag("8166-4.2.4-1")
    @Tag("8166-4-2")
    @Tag("8167-5.1-2")
    void usesTheReplyChunkForWhatIsStillTooLong(int length) throws Exception {
        connect();
        var source = client.offer(length, Access.REMOTE_READ);
        EchoProgram.fill(source.segment(), SEED);
        byte[] data = source.segment().toArray(ValueLayout.JAVA_BYTE);
        var result = client.offer(length, Access.REMOTE_WRITE);
        var rest = client.offer(2 * length + 1000, Access.REMOTE_WRITE);
        var call =
                new RpcCall(
                        EchoProgram.PROGRAM,
                        1,
                        EchoProgram.REPEAT,
                        out -> out.bulk(source.segment()),
                        0);
        var offered =
                new ChunkLists(
                        List.of(new ReadSegment(CALL_HEADER + 4, source.part(0, length))),
                        List.of(of(result.part(0, length))),
                        Optional.of(of(rest.part(0, 2 * length + 1000))));
        var reply = exchange(call, offered);
        assertEquals(offered.writeList(), chunks(reply).writeList());
        assertEquals(List.of(), chunks(reply).readList());
        assertArrayEquals(data, result.segment().toArray(ValueLayout.JAVA_BYTE));
        int message = REPLY_HEADER + 4 + 4 + length;
        boolean isLong = length > 1000;
        assertEquals(isLong, reply.header() instanceof Version1Header.NoMsg);
        assertEquals(
                List.of(isLong ? message : 0),
                chunks(reply).replyChunk().map(ResponderOverIwarpTest::lengths).orElse(List.of(0)));
        assertEquals(isLong ? 0 : message, payload(reply).length);
        byte[] inChunk = rest.segment().toArray(ValueLayout.JAVA_BYTE);
        byte[] whole = isLong ? Arrays.copyOf(inChunk, message) : payload(reply);
        assertEquals(XID, ByteBuffer.wrap(whole).getInt());
        assertArrayEquals(data, Arrays.copyOfRange(whole, message - length, message));
    }

    /** Method: the smallest receives that a server can have, and the longest call for them. */
    @Test
    @Tag("8166-3.3.3-2")
    @Tag("5666-6.1-1")
    void takesACallOf1024Bytes() throws Exception {
        connect(new byte[0], RpcRdmaOptions.DEFAULT.toBuilder().inlineReceive(1024).build());
        byte[] data = EchoProgram.pattern(1024 - 28 - CALL_HEADER - 4, SEED);
        byte[] call =
                ManualConnection.call(
                        XID, 1, EchoProgram.tell(MemorySegment.ofArray(data)), ChunkLists.EMPTY);
        assertEquals(1024, call.length);
        client.send(call);
        var reply = client.receive();
        assertInstanceOf(Version1Header.Msg.class, reply.header());
        assertEquals(
                EchoProgram.sum(MemorySegment.ofArray(data)),
                ByteBuffer.wrap(payload(reply)).getLong(REPLY_HEADER));
    }

    /** Method: two calls in turn, so that a handle of the other call could be named. */
    @Test
    @Tag("8797-4.1-2")
    void invalidatesAHandleOfTheCallThatItAnswers() throws Exception {
        connect(INVALIDATES, RpcRdmaOptions.DEFAULT.toBuilder().credits(4).build());
        exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        var first = target(2000);
        var second = target(2000);
        client.send(ManualConnection.call(1, 2, fetch(2000), writing(of(first))));
        client.send(ManualConnection.call(2, 2, fetch(2000), writing(of(second))));
        for (int i = 0; i < 2; i++) {
            var reply = client.receive();
            assertTrue(reply.completion().invalidated());
            var own = reply.header().xid() == 1 ? first : second;
            assertEquals(own.handle(), reply.completion().invalidatedHandle());
        }
        // Nothing is invalidated by the reply to a call without chunks.
        var last = exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertEquals(false, last.completion().invalidated());
    }

    /** Method: two arguments in chunks, the first of which ends between two words. */
    @Test
    @Tag("5666-3.7-2")
    @Tag("8166-3.4.5-4")
    void countsThePaddingOfAnArgumentInAChunk() throws Exception {
        connect();
        var first = client.offer(2001, Access.REMOTE_READ);
        var second = client.offer(1999, Access.REMOTE_READ);
        EchoProgram.fill(first.segment(), SEED);
        EchoProgram.fill(second.segment(), SEED + 1);
        int position = CALL_HEADER + Integer.BYTES;
        var lists =
                new ChunkLists(
                        List.of(
                                new ReadSegment(position, first.part(0, 1500)),
                                new ReadSegment(position, first.part(1500, 501)),
                                new ReadSegment(
                                        position + 2004 + Integer.BYTES, second.part(0, 1999))),
                        List.of(),
                        Optional.empty());
        var reply = exchange(EchoProgram.join(first.segment(), second.segment()), lists);
        var results = ByteBuffer.wrap(payload(reply)).position(REPLY_HEADER);
        assertEquals(EchoProgram.sum(first.segment()), results.getLong());
        assertEquals(EchoProgram.sum(second.segment()), results.getLong());
    }

    /** Method: errors of every kind and damage, and a call after each. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0a0b0c0d 00000001 00000020 00000004",
                "0a0b0c0d 00000001 00000020 00000004 00000001",
                "0a0b0c0d 00000001 00000020 00000004 00000001 00000001",
                "0a0b0c0d 00000001 00000020 00000004 00000001 00000001 00000001",
                "0a0b0c0d 00000001 00000020 00000004 00000002",
                "0a0b0c0d 00000001 00000020 00000004 00000003"
            })
    @Tag("8166-4.5-7")
    void answersNoError(String message) throws Exception {
        connect();
        client.send(HexFormat.of().parseHex(message.replace(" ", "")));
        var reply = exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertInstanceOf(Version1Header.Msg.class, reply.header());
        assertEquals(1, server.statistics().value(Counter.DISCARDED));
    }

    /** Method: a call of another version between two calls of version 1. */
    @Test
    @Tag("8167-5.1-2")
    void refusesACallOfAnotherVersion() throws Exception {
        connect();
        exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        byte[] call = ManualConnection.call(7, 1, EchoProgram.nullCall(), ChunkLists.EMPTY);
        ByteBuffer.wrap(call).putInt(Integer.BYTES, 2);
        client.send(call);
        var refused =
                assertInstanceOf(Version1Header.VersionError.class, client.receive().header());
        assertEquals(7, refused.xid());
        var next = exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertInstanceOf(Version1Header.Msg.class, next.header());
        assertEquals(2, server.statistics().value(Counter.CALLS));
    }

    /** Connects again when the server knows, too, that the connection is lost. */
    private void reconnectAfterLoss() throws Exception {
        assertEquals(Optional.empty(), client.receiveUnlessLost());
        client.close();
        await(() -> server.openConnections() == 0);
        client = ManualPeer.connect(provider, server.address(), new byte[0], RECEIVE_BYTES);
    }

    /** Method: the client names a handle that it does not have, and calls again afterwards. */
    @Test
    @Tag("8166-4.5.3-2")
    @Tag("5666-4.2-5")
    void refusesACallThatEndedTheConnectionBefore() throws Exception {
        connect();
        var wrong = new ReadSegment(CALL_HEADER + 8, new Segment(0x0bad_bad0, 2000, 0));
        var lists = new ChunkLists(List.of(wrong), List.of(), Optional.empty());
        var store = EchoProgram.store(1, MemorySegment.ofArray(new byte[2000]));
        byte[] call = ManualConnection.call(XID, 1, store, lists);
        client.send(call);
        reconnectAfterLoss();
        client.send(call);
        assertInstanceOf(Version1Header.ChunkError.class, client.receive().header());
        var next = exchange(EchoProgram.nullCall(), ChunkLists.EMPTY);
        assertInstanceOf(Version1Header.Msg.class, next.header());
    }

    /** Goal: no user of a host makes calls of its other users fail that have the same XID. */
    @Test
    void servesAnotherCallWithTheXidOfOneThatEndedTheConnection() throws Exception {
        connect();
        var wrong = new ReadSegment(CALL_HEADER + 8, new Segment(0x0bad_bad0, 2000, 0));
        var lists = new ChunkLists(List.of(wrong), List.of(), Optional.empty());
        var store = EchoProgram.store(1, MemorySegment.ofArray(new byte[2000]));
        client.send(ManualConnection.call(XID, 1, store, lists));
        reconnectAfterLoss();
        var reply = exchange(fetch(2000), writing(of(target(2000))));
        assertInstanceOf(Version1Header.Msg.class, reply.header());
        assertEquals(0, server.statistics().value(Counter.CHUNK_ERRORS));
    }
}
