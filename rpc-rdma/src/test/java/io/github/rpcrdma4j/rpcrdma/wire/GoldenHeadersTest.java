package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GoldenHeadersTest {
    private static final int XID = 0x0a0b0c0d;

    private static Segment segment(int handle, int length, long offset) {
        return new Segment(handle, length, offset);
    }

    private static ReadSegment read(int position, int handle, int length, long offset) {
        return new ReadSegment(position, segment(handle, length, offset));
    }

    private static WriteChunk chunk(Segment... segments) {
        return new WriteChunk(List.of(segments));
    }

    private static ChunkLists reads(ReadSegment... segments) {
        return new ChunkLists(List.of(segments), List.of(), Optional.empty());
    }

    private static ChunkLists writes(WriteChunk... chunks) {
        return new ChunkLists(List.of(), List.of(chunks), Optional.empty());
    }

    private static ChunkLists reply(WriteChunk chunk) {
        return new ChunkLists(List.of(), List.of(), Optional.of(chunk));
    }

    /** Returns the header that each example encodes. */
    private static Map<String, Version1Header> meanings() {
        var first = segment(0xa1, 4096, 0x100000);
        var second = segment(0xa2, 4096, 0x200000);
        var third = segment(0xb1, 4096, 0x300000);
        var replyChunk = segment(0xc1, 8220, 0x400000);
        var meanings = new TreeMap<String, Version1Header>();
        meanings.put("EX-01", new Msg(XID, 32, ChunkLists.EMPTY));
        meanings.put("EX-02", new Msg(XID, 16, ChunkLists.EMPTY));
        meanings.put("EX-03", new Msg(XID, 32, reads(read(96, 0x1111, 4093, 0x7f0000001000L))));
        meanings.put(
                "EX-04",
                new Msg(
                        XID,
                        32,
                        reads(
                                read(96, 0x1111, 4093, 0x7f0000001000L),
                                read(96, 0x2222, 3, 0x7f0000009000L))));
        meanings.put("EX-05", new Msg(XID, 32, reads(read(164, 0xabcd0001, 8191, 0x1000))));
        meanings.put(
                "EX-06",
                new Msg(
                        XID,
                        32,
                        reads(read(128, 0x10, 4093, 0x10000), read(4260, 0x11, 512, 0x20000))));
        meanings.put(
                "EX-07",
                new NoMsg(
                        XID,
                        32,
                        reads(
                                read(0, 0x77, 4096, 0x7f0000001000L),
                                read(0, 0x78, 1808, 0x7f0000005000L))));
        meanings.put(
                "EX-08",
                new NoMsg(
                        XID,
                        32,
                        reads(
                                read(0, 0x77, 1620, 0x7f0000001000L),
                                read(1620, 0x90, 65536, 0x7f0000100000L))));
        meanings.put("EX-09", new Msg(XID, 32, writes(chunk(first, second))));
        meanings.put("EX-10", new Msg(XID, 32, writes(chunk(first, second.withLength(903)))));
        meanings.put("EX-11", new Msg(XID, 32, writes(chunk(first, second.withLength(904)))));
        meanings.put("EX-12", new Msg(XID, 32, writes(chunk(first, second), chunk(third))));
        meanings.put(
                "EX-13", new Msg(XID, 32, writes(chunk(first, second), chunk(third).unused())));
        meanings.put("EX-14", new Msg(XID, 32, writes(chunk(), chunk(third))));
        meanings.put("EX-15", new Msg(XID, 32, reply(chunk(replyChunk))));
        meanings.put("EX-16", new NoMsg(XID, 32, reply(chunk(replyChunk.withLength(4412)))));
        meanings.put("EX-17", new Msg(XID, 32, reply(chunk(replyChunk).unused())));
        meanings.put(
                "EX-18",
                new NoMsg(
                        XID,
                        32,
                        new ChunkLists(
                                List.of(read(0, 0xd1, 9216, 0x500000)),
                                List.of(),
                                Optional.of(chunk(segment(0xc1, 66560, 0x600000))))));
        meanings.put("EX-19", new VersionError(XID, 2, 32, 1, 1));
        meanings.put("EX-20", new ChunkError(XID, 1, 32));
        meanings.put("EX-22", new Done(XID, 32));
        meanings.put("EX-24", new Msg(XID, 31, reads(read(44, 0xe1, 4096, 0x900000))));
        meanings.put("EX-25", new Msg(XID, 8, ChunkLists.EMPTY));
        meanings.put("EX-26", new Msg(XID, 2, ChunkLists.EMPTY));
        meanings.put("EX-27", new Msg(XID, 8, reply(chunk(segment(0x99, 2048, 0x700000)))));
        meanings.put("EX-28", new Msg(1, 1, ChunkLists.EMPTY));
        meanings.put("EX-29", new Msg(1, 32, ChunkLists.EMPTY));
        meanings.put("EX-30", new Msg(1, 1, ChunkLists.EMPTY));
        return meanings;
    }

    @Test
    @Tag("5666-4.3-1")
    @Tag("8166-4-1")
    void decodesEveryLegalHeader() {
        meanings()
                .forEach(
                        (name, meaning) -> {
                            var decoded = Version1HeaderCodec.decode(Golden.message(name));
                            var ok = assertInstanceOf(Decoded.Ok.class, decoded, name);
                            assertEquals(meaning, ok.header(), name);
                        });
    }

    @Test
    @Tag("5666-4.1-2")
    @Tag("5666-4.3-1")
    @Tag("8166-4-1")
    @Tag("8166-4.2.2-1")
    @Tag("5666-3.4-10")
    @Tag("5666-3.4-12")
    @Tag("5666-4.1-5")
    @Tag("5666-4.1-6")
    @Tag("5666-4.1-9")
    @Tag("8167-5.1-2")
    void encodesEveryLegalHeaderToItsBytes() {
        meanings()
                .forEach(
                        (name, meaning) -> {
                            byte[] bytes = new byte[1024];
                            int length =
                                    Version1HeaderCodec.encode(
                                            meaning, MemorySegment.ofArray(bytes));
                            assertEquals(length, Version1HeaderCodec.encodedLength(meaning), name);
                            assertArrayEquals(
                                    Arrays.copyOf(Golden.bytes(name), length),
                                    Arrays.copyOf(bytes, length),
                                    name);
                        });
    }

    private static String react(MemorySegment message, boolean responder) {
        var received = responder ? Received.byResponder(message) : Received.byRequester(message);
        return received.getClass().getSimpleName();
    }

    @Test
    @Tag("5666-4.1-4")
    @Tag("8166-4.5-4")
    @Tag("8166-4.5-5")
    void returnsTheReceivedXidAndVersion() {
        assertEquals(
                new Received.OweVersionError(XID, 2),
                Received.byResponder(Golden.message("BAD-02")));
        var mismatch =
                assertInstanceOf(
                        Received.OweChunkError.class,
                        Received.byResponder(Golden.message("BAD-09")));
        assertEquals(XID, mismatch.xid());
        assertEquals(1, mismatch.version());
    }

    /** Goal: the codec throws for no bytes. Method: all prefixes of all examples. */
    @Test
    @Tag("8166-4.5-1")
    void decodesEveryTruncationToAValue() {
        for (var name : Golden.messages()) {
            var whole = Golden.message(name);
            for (long length = 0; length < whole.byteSize(); length++) {
                var cut = whole.asSlice(0, length);
                assertNotNull(Version1HeaderCodec.decode(cut));
                assertNotNull(Received.byResponder(cut));
                assertNotNull(Received.byRequester(cut));
                if (length < Version1HeaderCodec.EMPTY_LISTS_BYTES) {
                    assertInstanceOf(Received.Discard.class, Received.byResponder(cut));
                }
            }
        }
    }

    /** Goal: the codec never takes a truncated header for a complete one. */
    @Test
    void takesNoTruncatedHeaderForAWholeOne() {
        meanings()
                .forEach(
                        (name, meaning) -> {
                            var whole = Golden.message(name);
                            int header = Version1HeaderCodec.encodedLength(meaning);
                            for (long length = 0; length < header; length++) {
                                var decoded = Version1HeaderCodec.decode(whole.asSlice(0, length));
                                assertEquals(false, decoded instanceof Decoded.Ok, name);
                            }
                        });
    }

    /** Goal: the codec throws for no bytes. Method: each byte of each example gets each value. */
    @Test
    void decodesEverySingleByteCorruptionToAValue() {
        for (var name : Golden.messages()) {
            var message = Golden.message(name);
            for (long at = 0; at < Math.min(message.byteSize(), 400); at++) {
                byte right = message.get(ValueLayout.JAVA_BYTE, at);
                for (int value = 0; value < 256; value++) {
                    message.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    assertNotNull(Received.byResponder(message));
                    assertNotNull(Received.byRequester(message));
                }
                message.set(ValueLayout.JAVA_BYTE, at, right);
            }
        }
    }

    @Test
    void boundsEveryList() {
        var segments = new ReadSegment[ChunkListsCodec.READ_SEGMENTS_MAX + 1];
        Arrays.fill(segments, read(4, 1, 1, 0));
        assertEquals(
                true, survives(reads(Arrays.copyOf(segments, ChunkListsCodec.READ_SEGMENTS_MAX))));
        assertEquals(false, survives(reads(segments)));
        var chunks = new WriteChunk[ChunkListsCodec.WRITE_CHUNKS_MAX + 1];
        Arrays.fill(chunks, chunk());
        assertEquals(
                true, survives(writes(Arrays.copyOf(chunks, ChunkListsCodec.WRITE_CHUNKS_MAX))));
        assertEquals(false, survives(writes(chunks)));
        var plain = new Segment[ChunkListsCodec.WRITE_SEGMENTS_MAX + 1];
        Arrays.fill(plain, segment(1, 1, 0));
        assertEquals(
                true,
                survives(reply(chunk(Arrays.copyOf(plain, ChunkListsCodec.WRITE_SEGMENTS_MAX)))));
        assertEquals(false, survives(reply(chunk(plain))));
    }

    private static boolean survives(ChunkLists chunks) {
        var header = new Msg(1, 1, chunks);
        var target = MemorySegment.ofArray(new byte[Version1HeaderCodec.encodedLength(header)]);
        Version1HeaderCodec.encode(header, target);
        return Version1HeaderCodec.decode(target) instanceof Decoded.Ok ok
                && ok.header().equals(header);
    }

    @Test
    void refusesASegmentThatWrapsAroundTheEndOfMemory() {
        var last = read(4, 1, 16, -16);
        var beyond = read(4, 1, 17, -16);
        assertEquals("Call", react(callWith(reads(last)), true));
        assertEquals("OweChunkError", react(callWith(reads(beyond)), true));
        assertEquals("OweChunkError", react(callWith(writes(chunk(beyond.target()))), true));
        assertEquals("OweChunkError", react(callWith(reply(chunk(beyond.target()))), true));
    }

    private static MemorySegment callWith(ChunkLists chunks) {
        var header = new Msg(XID, 1, chunks);
        var payload = Golden.message("EX-01").asSlice(28);
        int length = Version1HeaderCodec.encodedLength(header);
        var message = MemorySegment.ofArray(new byte[length + (int) payload.byteSize()]);
        Version1HeaderCodec.encode(header, message);
        MemorySegment.copy(payload, 0, message, length, payload.byteSize());
        return message;
    }
}
