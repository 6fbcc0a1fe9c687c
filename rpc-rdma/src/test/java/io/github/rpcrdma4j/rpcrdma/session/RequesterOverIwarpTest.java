package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a client obeys the rules of a requester. Method: a server that the test operates by hand,
 * over iWARP. It sends no private data, so all messages are 1024 bytes or shorter.
 */
class RequesterOverIwarpTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    /** The timeout of a call that is not sent. */
    private static final Duration SHORT = Duration.ofMillis(20);

    private static final int RECEIVE_BYTES = 4096;
    private static final int THRESHOLD = 1024;
    private static final int EMPTY_HEADER = 28;
    private static final int CALL_HEADER = 40;
    private static final int REPLY_HEADER = 24;
    private static final int SEED = 7;

    private final RdmaProvider provider = new IwarpProvider();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Listener listener;
    private ManualPeer server;
    private RpcRdmaClient client;

    private void connect(long segmentMax) throws Exception {
        listener = provider.listen(ManualPeer.LOOPBACK);
        var options = RpcRdmaOptions.DEFAULT.toBuilder().segmentMax(segmentMax).build();
        var connecting =
                threads.submit(
                        () ->
                                Connections.connect(
                                        provider,
                                        listener.address(),
                                        new Credential.None(),
                                        List.of(EchoProgram.BINDING),
                                        options));
        server = ManualPeer.accept(provider, listener, new byte[0], RECEIVE_BYTES);
        client = connecting.get();
    }

    private void connect() throws Exception {
        connect(1 << 20);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.close();
        listener.close();
        threads.close();
        assertEquals(0, client.openWindows());
        assertEquals(0, client.leasedMemory());
    }

    /** Starts a call, and returns what comes of it: its results, all inline. */
    private Future<byte[]> call(RpcCall call) {
        return threads.submit(
                () -> {
                    try (var reply = client.call(call, LONG)) {
                        var in = reply.results();
                        return in.fixedOpaque(in.remaining()).toArray(ValueLayout.JAVA_BYTE);
                    }
                });
    }

    /** Starts a FETCH, and returns the data. */
    private Future<byte[]> fetch(int length, MemorySegment target) {
        return threads.submit(
                () -> {
                    try (var reply = client.call(EchoProgram.fetch(length, SEED, target), LONG)) {
                        reply.results().uint32();
                        return reply.results().bulk(length).toArray(ValueLayout.JAVA_BYTE);
                    }
                });
    }

    private static byte[] accepted(int xid, byte... results) {
        return ByteBuffer.allocate(REPLY_HEADER + results.length)
                .putInt(xid)
                .putInt(1)
                .putInt(0)
                .putLong(0)
                .putInt(0)
                .put(results)
                .array();
    }

    private void answer(int xid, int credits, ChunkLists chunks, byte... results) {
        server.send(
                ManualConnection.message(
                        new Version1Header.Msg(xid, credits, chunks), accepted(xid, results)));
    }

    private void answer(int xid, int credits) {
        answer(xid, credits, ChunkLists.EMPTY);
    }

    private static ChunkLists chunks(ManualPeer.ReceivedMessage call) {
        return switch (call.header()) {
            case Version1Header.Msg(_, _, var chunks) -> chunks;
            case Version1Header.NoMsg(_, _, var chunks) -> chunks;
            case Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    throw new AssertionError("a requester sent " + call.header());
        };
    }

    private static int payload(ManualPeer.ReceivedMessage call) {
        return call.bytes().length - ManualConnection.decode(call.bytes()).length();
    }

    /** Reads all segments of a Read chunk, in order, before the next message. */
    private byte[] content(ReadChunk chunk, int xid) throws Exception {
        var parts = chunk.segments().stream().map(server::read).toList();
        // The answer to another call shows that the reads before it are complete.
        server.send(
                ManualConnection.message(new Version1Header.ChunkError(xid, 1, 8), new byte[0]));
        var joined = new ByteArrayOutputStream();
        var next = call(EchoProgram.nullCall());
        int nextXid = server.receive().header().xid();
        for (var part : parts) {
            joined.writeBytes(part.toArray(ValueLayout.JAVA_BYTE));
        }
        answer(nextXid, 8);
        next.get();
        return joined.toByteArray();
    }

    private static MemorySegment pattern(int length) {
        var memory = Arena.ofAuto().allocate(length);
        EchoProgram.fill(memory, SEED);
        return memory;
    }

    /** Fails to send a call, as there is no credit for it. */
    private void waitsInVain() {
        assertThrows(RpcException.TimedOut.class, () -> client.call(EchoProgram.nullCall(), SHORT));
    }

    /**
     * Goal: one call before the first reply, and then as many as the last reply grants. Method: a
     * call without a credit ends at its timeout. If it had been sent, it would arrive before the
     * next one.
     */
    @Test
    @Tag("8166-3.3.1-2")
    @Tag("8166-3.3.3-1")
    @Tag("5666-3.3-4")
    @Tag("5666-6.1-1")
    @Tag("5666-6.1-2")
    void sendsNoMoreCallsThanTheServerGrants() throws Exception {
        connect();
        var first = call(EchoProgram.nullCall());
        int firstXid = server.receive().header().xid();
        waitsInVain();
        // A client keeps one credit of several for probes.
        answer(firstXid, 3);
        first.get();
        var second = call(EchoProgram.nullCall().withXid(0x2222));
        assertEquals(0x2222, server.receive().header().xid());
        var third = call(EchoProgram.nullCall().withXid(0x3333));
        assertEquals(0x3333, server.receive().header().xid());
        waitsInVain();
        answer(0x2222, 1);
        second.get();
        waitsInVain();
        answer(0x3333, 1);
        third.get();
        var fourth = call(EchoProgram.nullCall().withXid(0x4444));
        assertEquals(0x4444, server.receive().header().xid());
        answer(0x4444, 1);
        fourth.get();
    }

    /**
     * Goal: a reply is never without a receive. Method: all replies at once, as often as granted.
     */
    @Test
    @Tag("8166-3.3.1-8")
    @Tag("5666-6-1")
    void hasAReceiveForEveryReply() throws Exception {
        connect();
        int credits = 8;
        var first = call(EchoProgram.nullCall());
        answer(server.receive().header().xid(), credits);
        first.get();
        for (int round = 0; round < 5; round++) {
            var calls = new ArrayList<Future<byte[]>>();
            var xids = new ArrayList<Integer>();
            for (int i = 0; i < credits - 1; i++) {
                calls.add(call(EchoProgram.nullCall()));
                xids.add(server.receive().header().xid());
            }
            xids.forEach(xid -> answer(xid, credits));
            for (var each : calls) {
                each.get();
            }
        }
    }

    @Test
    @Tag("8166-3.4.4.1-1")
    @Tag("8166-3.4.4.4-1")
    @Tag("8166-3.4.4.4-2")
    @Tag("8166-3.4.5-1")
    @Tag("8166-3.4.5-2")
    @Tag("8166-3.4.5-3")
    @Tag("8166-3.4.5.2-3")
    @Tag("5666-2-1")
    void movesEachArgumentAsAChunkAtItsPosition() throws Exception {
        connect(1500);
        var first = pattern(2001);
        var second = pattern(1999);
        var joining = call(EchoProgram.join(first, second));
        var heard = server.receive();
        var found = ReadChunk.of(chunks(heard).readList());
        assertEquals(2, found.size());
        int position = CALL_HEADER + Integer.BYTES;
        assertEquals(position, found.get(0).position());
        assertEquals(position + 2004 + Integer.BYTES, found.get(1).position());
        assertEquals(
                List.of(1500, 501), found.get(0).segments().stream().map(Segment::length).toList());
        assertEquals(
                List.of(1500, 499), found.get(1).segments().stream().map(Segment::length).toList());
        assertEquals(CALL_HEADER + 2 * Integer.BYTES, payload(heard), "the counts stay");
        var parts =
                found.stream().flatMap(each -> each.segments().stream()).map(server::read).toList();
        answer(heard.header().xid(), 8, ChunkLists.EMPTY, new byte[16]);
        joining.get();
        var next = call(EchoProgram.nullCall());
        answer(server.receive().header().xid(), 8);
        next.get();
        assertArrayEquals(
                first.asSlice(0, 1500).toArray(ValueLayout.JAVA_BYTE),
                parts.get(0).toArray(ValueLayout.JAVA_BYTE));
        assertArrayEquals(
                second.asSlice(1500).toArray(ValueLayout.JAVA_BYTE),
                parts.get(3).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Goal: what is not eligible moves with the whole message, in full and with its padding. */
    @Test
    @Tag("8166-3.4.2-1")
    @Tag("8166-3.5.3-1")
    @Tag("8166-3.5.3-2")
    @Tag("8166-3.5.3-6")
    @Tag("8166-4.2.4-1")
    void movesALongCallAsAWhole() throws Exception {
        connect(1500);
        var data = pattern(5001);
        var telling = call(EchoProgram.tell(data));
        var heard = server.receive();
        assertInstanceOf(Version1Header.NoMsg.class, heard.header());
        assertEquals(0, payload(heard));
        var found = ReadChunk.of(chunks(heard).readList());
        assertEquals(1, found.size());
        assertEquals(0, found.getFirst().position());
        assertEquals(4, found.getFirst().segments().size());
        byte[] message = content(found.getFirst(), heard.header().xid());
        assertEquals(CALL_HEADER + Integer.BYTES + 5004, message.length);
        var in = ByteBuffer.wrap(message);
        assertEquals(heard.header().xid(), in.getInt(0));
        assertEquals(5001, in.getInt(CALL_HEADER));
        assertArrayEquals(
                data.toArray(ValueLayout.JAVA_BYTE),
                Arrays.copyOfRange(message, CALL_HEADER + 4, CALL_HEADER + 4 + 5001));
        assertThrows(ExecutionException.class, telling::get);
    }

    /**
     * @param length how long the opaque results can be; one byte more exceeds the inline threshold
     *     with their length word and padding
     */
    @ParameterizedTest
    @CsvSource({"0, false", "965, false", "966, true", "100000, true"})
    @Tag("8166-4.3.3-1")
    @Tag("8166-3.5.3-4")
    @Tag("8166-6.2-1")
    void offersAReplyChunkForTheLongestReplyThatDoesNotFit(int length, boolean isOffered)
            throws Exception {
        connect();
        var listing = call(EchoProgram.list(length, SEED));
        var heard = server.receive();
        var offered = chunks(heard).replyChunk();
        assertEquals(isOffered, offered.isPresent());
        int resultsMax = Integer.BYTES + length + 3;
        assertEquals(resultsMax > THRESHOLD - EMPTY_HEADER - REPLY_HEADER, isOffered);
        offered.ifPresent(chunk -> assertTrue(chunk.size() >= REPLY_HEADER + resultsMax));
        answer(heard.header().xid(), 8);
        listing.get();
    }

    /**
     * @param length the length of the data, which fits inline up to 964 bytes
     */
    @ParameterizedTest
    @CsvSource({"1, 0", "964, 0", "965, 1", "5000, 1"})
    @Tag("8166-4.3.2-1")
    @Tag("8166-4.3.2.3-1")
    void offersAWriteChunkForDataThatDoesNotFit(int length, int chunks) throws Exception {
        connect();
        var target = Arena.ofAuto().allocate(length);
        var fetching = fetch(length, target);
        var heard = server.receive();
        var offered = chunks(heard).writeList();
        assertEquals(chunks, offered.size());
        byte[] data = EchoProgram.pattern(length, SEED);
        if (chunks == 0) {
            byte[] results =
                    ByteBuffer.allocate(8 + (length + 3 & ~3))
                            .putInt(length)
                            .putInt(length)
                            .put(data)
                            .array();
            answer(heard.header().xid(), 8, ChunkLists.EMPTY, results);
        } else {
            server.write(data, offered.getFirst().segments().getFirst());
            answer(heard.header().xid(), 8, written(offered), lengths(length));
        }
        assertArrayEquals(data, fetching.get());
    }

    private static byte[] lengths(int length) {
        return ByteBuffer.allocate(8).putInt(length).putInt(length).array();
    }

    private static ChunkLists written(List<WriteChunk> chunks) {
        return new ChunkLists(List.of(), chunks, Optional.empty());
    }

    private static WriteChunk of(Segment... segments) {
        return new WriteChunk(List.of(segments));
    }

    /**
     * Goal: a server that returns other chunks than were offered changes nothing: the reply is
     * dropped, and the right one is awaited. Method: a reply with each fault, then the right one.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "another handle",
                "another offset",
                "a longer segment",
                "one more segment",
                "one more chunk",
                "a Reply chunk"
            })
    @Tag("8166-3.4.6-3")
    void dropsAReplyWithOtherChunksThanItOffered(String fault) throws Exception {
        connect();
        int length = 2000;
        var fetching = fetch(length, Arena.ofAuto().allocate(length));
        var heard = server.receive();
        int xid = heard.header().xid();
        var right = chunks(heard).writeList();
        var segment = right.getFirst().segments().getFirst();
        byte[] data = EchoProgram.pattern(length, SEED);
        server.write(data, segment);
        int handle = segment.handle();
        long offset = segment.offset();
        var wrong =
                switch (fault) {
                    case "another handle" ->
                            written(List.of(of(new Segment(handle ^ 1, length, offset))));
                    case "another offset" ->
                            written(List.of(of(new Segment(handle, length, offset + 8))));
                    case "a longer segment" ->
                            written(List.of(of(new Segment(handle, length + 4, offset))));
                    case "one more segment" ->
                            written(List.of(of(segment, new Segment(handle, 0, offset))));
                    case "one more chunk" -> written(List.of(right.getFirst(), right.getFirst()));
                    case "a Reply chunk" ->
                            new ChunkLists(List.of(), right, Optional.of(right.getFirst()));
                    default -> throw new AssertionError(fault);
                };
        answer(xid, 8, wrong, lengths(length));
        answer(xid, 8, written(right), lengths(length));
        assertArrayEquals(data, fetching.get());
        assertEquals(1, client.statistics().value(Counter.DISCARDED));
    }

    @Test
    @Tag("8166-6.1-4")
    @Tag("8166-3.4.6.2-3")
    void failsACallWhoseResultIsNotInItsChunk() throws Exception {
        connect();
        int length = 968;
        var fetching = fetch(length, Arena.ofAuto().allocate(length));
        var heard = server.receive();
        byte[] inline =
                ByteBuffer.allocate(8 + length)
                        .putInt(length)
                        .putInt(length)
                        .put(EchoProgram.pattern(length, SEED))
                        .array();
        var unused = chunks(heard).writeList().stream().map(WriteChunk::unused).toList();
        answer(heard.header().xid(), 8, written(unused), inline);
        var failure = assertThrows(ExecutionException.class, fetching::get);
        assertInstanceOf(XdrException.class, failure.getCause());
    }

    /** Goal: a client sends calls only. Method: every example, and a call after each. */
    @Test
    @Tag("8166-4.2.4-2")
    @Tag("8166-4.6.1-1")
    @Tag("8166-4.6.2-1")
    @Tag("8166-4.5-7")
    @Tag("8167-4.1-3")
    @Tag("8167-4.1-4")
    void answersNoMessageThatItReceives() throws Exception {
        connect();
        int xid = 1;
        for (var example : Golden.messages()) {
            server.send(Golden.bytes(example));
            var calling = call(EchoProgram.nullCall().withXid(xid));
            var heard = server.receive();
            assertEquals(
                    new Version1Header.Msg(xid, RpcRdmaOptions.DEFAULT.credits(), ChunkLists.EMPTY),
                    heard.header(),
                    example);
            assertEquals(xid, ByteBuffer.wrap(heard.bytes()).getInt(EMPTY_HEADER));
            // The examples ask for more credits, or grant them to calls that there are not.
            waitsInVain();
            answer(xid++, 1);
            calling.get();
        }
        assertEquals(Golden.messages().size(), client.statistics().value(Counter.DISCARDED));
    }

    /**
     * Goal: memory is closed to the server before its caller goes on. Method: the server writes
     * once more to the memory of an answered call.
     */
    @Test
    @Tag("8166-4.4.1-1")
    @Tag("8166-4.4.1-2")
    void closesTheMemoryOfACallBeforeItEnds() throws Exception {
        connect();
        int length = 2000;
        var target = Arena.ofAuto().allocate(length);
        var fetching = fetch(length, target);
        var heard = server.receive();
        var right = chunks(heard).writeList();
        var segment = right.getFirst().segments().getFirst();
        byte[] data = EchoProgram.pattern(length, SEED);
        server.write(data, segment);
        answer(heard.header().xid(), 8, written(right), lengths(length));
        assertArrayEquals(data, fetching.get());
        server.write(new byte[length], segment);
        var failure =
                assertThrows(RpcException.class, () -> client.call(EchoProgram.nullCall(), LONG));
        assertFalse(failure instanceof RpcException.TimedOut, "the connection has ended");
        assertArrayEquals(data, target.toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Goal: only the returned lengths say where results are. Method: the server writes to all of
     * the memory, and returns less of it, or nothing.
     *
     * @param length the length of the data
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1200})
    @Tag("5666-3.4-14")
    @Tag("8166-4.3.2.2-4")
    void readsNoMemoryThatTheServerDoesNotReturn(int length) throws Exception {
        connect();
        var fetching = fetch(2000, Arena.ofAuto().allocate(2000));
        var heard = server.receive();
        var segment = chunks(heard).writeList().getFirst().segments().getFirst();
        server.write(EchoProgram.pattern(2000, SEED), segment);
        var returned = written(List.of(of(segment.withLength(length))));
        answer(heard.header().xid(), 8, returned, lengths(length));
        assertArrayEquals(Arrays.copyOf(EchoProgram.pattern(2000, SEED), length), fetching.get());
    }
}
