package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a client obeys the rules of a requester about chunks. Method: see {@link ManualServer}. */
class RequesterChunksOverIwarpTest extends ManualServer {
    @Test
    @Tag("8166-3.4.4.1-1")
    @Tag("8166-3.4.4.4-1")
    @Tag("8166-3.4.4.4-2")
    @Tag("8166-3.4.5-1")
    @Tag("8166-3.4.5-2")
    @Tag("8166-3.4.5-3")
    @Tag("8166-3.4.5.2-1")
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
    @Tag("5666-5.2-1")
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
}
