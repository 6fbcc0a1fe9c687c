package io.github.rpcrdma4j.rpcrdma.v2.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the worked examples of version 2, and of Read chunks in replies of version 1, are decoded
 * and encoded. The module {@code dissect} tests the examples of the last draft.
 */
class GoldenHeadersTest {
    private static final int CORRUPTED_MAX = 300;

    private static final Map<String, Version1Header> OF_VERSION_1 =
            Map.of(
                    "E29",
                    new Version1Header.NoMsg(
                            0xb001,
                            16,
                            new ChunkLists(
                                    List.of(new ReadSegment(0, new Segment(0x77, 20000, 0x4000))),
                                    List.of(),
                                    Optional.empty())),
                    "E30",
                    new Version1Header.Done(0xb001, 32),
                    "E31",
                    new Version1Header.ChunkError(0xb001, 1, 16));

    private static List<String[]> hashes() throws IOException {
        try (var in = GoldenHeadersTest.class.getResourceAsStream("/golden/v2/hashes")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(line -> line.split(" "))
                    .toList();
        }
    }

    @Test
    void hasTheBytesOfEveryExample() throws IOException, NoSuchAlgorithmException {
        int count = 0;
        for (var row : hashes()) {
            byte[] bytes = Golden.bytes("v2/" + row[0]);
            assertEquals(Integer.parseInt(row[2]), bytes.length, row[0]);
            var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            assertEquals(row[3], HexFormat.of().formatHex(hash), row[0]);
            count++;
        }
        assertEquals(39, count);
    }

    @Test
    void givesEveryExampleOfTheDraftsAMeaning() throws IOException {
        var meant =
                hashes().stream()
                        .filter(row -> row[1].equals("v2-2016"))
                        .map(row -> row[0])
                        .toList();
        assertEquals(meant, List.copyOf(Examples.meanings().keySet()));
        var others =
                hashes().stream().filter(row -> row[1].equals("v1")).map(row -> row[0]).toList();
        assertEquals(others, OF_VERSION_1.keySet().stream().sorted().toList());
        long later = hashes().stream().filter(row -> row[1].equals("v2-07")).count();
        // One of the tests decodes each of these to its header, and encodes that header.
        assertEquals(hashes().size(), meant.size() + others.size() + later);
    }

    @Test
    @Tag("V2-3.2-1")
    @Tag("XCH-2.1-1")
    @Tag("RTR-8.1-1")
    @Tag("RTR-8.2-1")
    @Tag("RTR-6.1-1")
    @Tag("RTR-3.3-1")
    @Tag("RTR-5.4-1")
    @Tag("RTR-9.2-2")
    @Tag("RTR-9.3-1")
    @Tag("RTR-9.4-3")
    @Tag("RTR-9.4-4")
    @Tag("XCH-4.1-1")
    @Tag("XCH-4.3-1")
    @Tag("XCH-6.3-1")
    void decodesEveryExample() {
        Examples.meanings()
                .forEach(
                        (name, meaning) -> {
                            var decoded =
                                    Version2HeaderCodec.decode(
                                            Examples.message(name), Examples.ALL);
                            var ok = assertInstanceOf(Decoded.Ok.class, decoded, name);
                            assertEquals(meaning, ok.header(), name);
                            assertEquals(
                                    Version2HeaderCodec.encodedLength(meaning), ok.length(), name);
                        });
    }

    @Test
    @Tag("XCH-6.3-1")
    void encodesEveryExampleToItsBytes() {
        Examples.meanings()
                .forEach(
                        (name, meaning) -> {
                            byte[] bytes = new byte[1024];
                            int length =
                                    Version2HeaderCodec.encode(
                                            meaning, MemorySegment.ofArray(bytes));
                            assertEquals(length, Version2HeaderCodec.encodedLength(meaning), name);
                            assertArrayEquals(
                                    Arrays.copyOf(Golden.bytes("v2/" + name), length),
                                    Arrays.copyOf(bytes, length),
                                    name);
                        });
    }

    @Test
    void knowsReadChunksInRepliesOfVersion1() {
        OF_VERSION_1.forEach(
                (name, meaning) -> {
                    byte[] bytes = Golden.bytes("v2/" + name);
                    assertEquals(
                            new Version1HeaderCodec.Decoded.Ok(meaning, bytes.length),
                            Version1HeaderCodec.decode(MemorySegment.ofArray(bytes)),
                            name);
                    byte[] encoded = new byte[Version1HeaderCodec.encodedLength(meaning)];
                    Version1HeaderCodec.encode(meaning, MemorySegment.ofArray(encoded));
                    assertArrayEquals(bytes, encoded, name);
                });
    }

    /** Goal: no bytes crash the codec, and no truncated header is accepted. */
    @Test
    void decodesEveryTruncationToAValue() {
        Examples.meanings()
                .forEach(
                        (name, meaning) -> {
                            var whole = Examples.message(name);
                            int header = Version2HeaderCodec.encodedLength(meaning);
                            for (int length = 0; length < whole.byteSize(); length++) {
                                var cut = whole.asSlice(0, length);
                                assertNotNull(Received.of(cut, Examples.ALL));
                                if (length < header) {
                                    var decoded = Version2HeaderCodec.decode(cut, Examples.ALL);
                                    assertFalse(decoded instanceof Decoded.Ok, name + length);
                                }
                            }
                        });
    }

    /** Goal: no bytes crash the codec. Method: every byte of every example gets every value. */
    @Test
    void decodesEverySingleByteCorruptionToAValue() {
        for (var name : Examples.meanings().keySet()) {
            var message = Examples.message(name);
            for (long at = 0; at < Math.min(message.byteSize(), CORRUPTED_MAX); at++) {
                byte right = message.get(ValueLayout.JAVA_BYTE, at);
                for (int value = 0; value < 256; value++) {
                    message.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    assertNotNull(Received.of(message, Examples.ALL));
                    assertNotNull(Received.of(message, Set.of()));
                }
                message.set(ValueLayout.JAVA_BYTE, at, right);
            }
        }
    }
}
