package io.github.rpcrdma4j.dissect.draft07;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.dissect.Examples;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder.Decoded;
import io.github.rpcrdma4j.rpcrdma.v2.wire.FirstMessage;
import io.github.rpcrdma4j.sim.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Tests the headers of the last draft of version 2. */
class Draft07HeadersTest {
    private static final int RANDOM = 20_000;

    private static byte[] encoded(Draft07Header header) {
        byte[] bytes = new byte[Draft07HeaderEncoder.encodedLength(header)];
        assertEquals(
                bytes.length, Draft07HeaderEncoder.encode(header, MemorySegment.ofArray(bytes)));
        return bytes;
    }

    private static Decoded decoded(byte[] bytes) {
        return Draft07HeaderDecoder.decode(MemorySegment.ofArray(bytes));
    }

    private static Decoded decoded(String words) {
        return decoded(HexFormat.of().parseHex(words.replace(" ", "")));
    }

    private static List<byte[]> messages() {
        var messages = new ArrayList<byte[]>();
        Draft07Examples.meanings()
                .keySet()
                .forEach(name -> messages.add(Examples.bytes("v2/" + name)));
        Draft07Examples.all().forEach(header -> messages.add(encoded(header)));
        return messages;
    }

    @Test
    void givesEveryExampleOfTheDraftAMeaning() throws IOException {
        try (var in = Draft07HeadersTest.class.getResourceAsStream("/golden/v2/hashes")) {
            var names =
                    new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                            .lines()
                            .map(line -> line.split(" "))
                            .filter(row -> row[1].equals("v2-07"))
                            .map(row -> row[0])
                            .toList();
            assertEquals(names, List.copyOf(Draft07Examples.meanings().keySet()));
        }
    }

    @Test
    void decodesEveryExample() {
        Draft07Examples.meanings()
                .forEach(
                        (name, meaning) ->
                                assertEquals(
                                        new Decoded.Ok(
                                                meaning,
                                                Draft07HeaderEncoder.encodedLength(meaning)),
                                        decoded(Examples.bytes("v2/" + name)),
                                        name));
    }

    @Test
    void encodesEveryExampleToItsBytes() {
        Draft07Examples.meanings()
                .forEach(
                        (name, meaning) -> {
                            byte[] header = encoded(meaning);
                            assertArrayEquals(
                                    Arrays.copyOf(Examples.bytes("v2/" + name), header.length),
                                    header,
                                    name);
                        });
    }

    /** The first Send of a call announces the length of the remaining payload. */
    @Test
    void decodesTheRemainingLengthOfAMessage() {
        var first = (Draft07Header.CallMiddle) Draft07Examples.meanings().get("E33");
        var last = Draft07Examples.meanings().get("E34");
        assertEquals(
                Examples.bytes("v2/E34").length - Draft07HeaderEncoder.encodedLength(last),
                first.remaining());
    }

    @Test
    void decodesEncodedHeadersOfAllTypes() {
        for (var header : Draft07Examples.all()) {
            byte[] bytes = encoded(header);
            assertEquals(new Decoded.Ok(header, bytes.length), decoded(bytes));
        }
    }

    @Test
    void recognizesTheDraftByEveryHeaderExceptErrors() {
        for (var header : Draft07Examples.all()) {
            assertEquals(
                    header instanceof Draft07Header.Failure
                            ? FirstMessage.VERSION_2
                            : FirstMessage.LATER_DRAFT,
                    FirstMessage.of(MemorySegment.ofArray(encoded(header))));
        }
    }

    @Test
    void takesNoCutHeaderForAWholeOne() {
        for (byte[] message : messages()) {
            var whole = assertInstanceOf(Decoded.Ok.class, decoded(message));
            for (int length = 0; length < message.length; length++) {
                var cut = decoded(Arrays.copyOf(message, length));
                assertNotNull(cut);
                if (length < whole.length()) {
                    assertFalse(cut instanceof Decoded.Ok, whole.header() + " " + length);
                }
            }
        }
    }

    /**
     * Goal: the decoder survives any bytes. Method: every byte of every message takes every value.
     */
    @Test
    void decodesEverySingleByteCorruptionToAValue() {
        for (byte[] bytes : messages()) {
            var message = MemorySegment.ofArray(bytes);
            for (int at = 0; at < bytes.length; at++) {
                byte right = bytes[at];
                for (int value = 0; value < 256; value++) {
                    message.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                    if (Draft07HeaderDecoder.decode(message) instanceof Decoded.Ok(var header, _)) {
                        assertInstanceOf(Decoded.Ok.class, decoded(encoded(header)));
                    }
                }
                bytes[at] = right;
            }
        }
    }

    /** Goal: decoding never throws. Method: random small words after valid fixed fields. */
    @Test
    void makesAValueOfAnyBytes() {
        Seeds.many(RANDOM)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            byte[] bytes = new byte[random.nextInt(16, 200)];
                            for (int at = 0; at < bytes.length; at++) {
                                bytes[at] =
                                        (at & 3) != 3 || random.nextInt(4) == 0
                                                ? 0
                                                : (byte) random.nextInt(12);
                            }
                            bytes[7] = Draft07Header.VERSION;
                            bytes[15] = (byte) random.nextInt(3, 15);
                            var decoded = decoded(bytes);
                            assertNotNull(decoded, () -> "seed " + seed);
                            if (decoded instanceof Decoded.Ok(var header, _)) {
                                byte[] again = encoded(header);
                                assertEquals(
                                        new Decoded.Ok(header, again.length),
                                        decoded(again),
                                        () -> "seed " + seed);
                            }
                        });
    }

    @Test
    void reportsUnknownTypesVersionsAndErrors() {
        for (int type : new int[] {0, 1, 3, 14, -1}) {
            assertEquals(
                    new Decoded.UnknownType(7, type),
                    decoded("00000007 00000002 00000001 %08x 00000000".formatted(type)));
        }
        assertEquals(
                new Decoded.UnknownVersion(7, 3), decoded("00000007 00000003 00000001 00000005"));
        assertEquals(new Decoded.TooShort(), decoded("00000007 00000002 00000001 000000"));
        assertEquals(
                new Decoded.MalformedError(7, "unknown error code"),
                decoded("00000007 00000002 00000001 00000004 0000004d"));
    }

    @Test
    void takesOnlyErrorsAboutVersionsFromOtherVersions() {
        assertEquals(
                new Decoded.Ok(
                        new Draft07Header.Failure(7, 1, 16, new HeaderError.Version(1, 1)), 28),
                decoded("00000007 00000001 00000010 00000004 00000001 00000001 00000001"));
        assertEquals(
                new Decoded.Ok(
                        new Draft07Header.Failure(7, 9, 16, new HeaderError.OtherVersion()), 20),
                decoded("00000007 00000009 00000010 00000004 0000000b"));
        assertEquals(
                new Decoded.MalformedError(7, "an error of version 1"),
                decoded("00000007 00000001 00000010 00000004 00000002"));
    }

    @Test
    void refusesPropertiesWithBadValuesAndNoOthers() {
        var start = "00000007 00000002 00000001 00000007 00000001 ";
        assertEquals(
                new Decoded.BadProperty(7, "property 2: the message ends inside an item"),
                decoded(start + "00000002 00000003 00100000"));
        assertInstanceOf(Decoded.BadProperty.class, decoded(start + "00000005 00000004 00000004"));
        assertInstanceOf(Decoded.BadProperty.class, decoded(start + "00000006 00000004 00000001"));
        assertInstanceOf(Decoded.BadProperty.class, decoded(start + "00000063 00000008 00000001"));
        assertEquals(
                List.of(new Property.ReceiveSize(1)),
                properties(start + "00000002 00000008 00000001 00000002"));
        assertEquals(List.of(new Property.Default(2)), properties(start + "00000002 00000000"));
        assertEquals(
                List.of(new Property.Unknown(99)),
                properties(start + "00000063 00000003 01020300"));
    }

    private static List<Property> properties(String words) {
        var ok = assertInstanceOf(Decoded.Ok.class, decoded(words));
        return ((Draft07Header.Properties) ok.header()).properties();
    }

    @Test
    void refusesInvalidLists() {
        var read = "00000001 %08x 00000061 00000200 0000000000000000";
        var call = "00000007 00000002 00000001 0000000a 00000000 ";
        var ends = " 00000000 00000000 00000000";
        assertEquals(
                malformed(false, "the positions of the Read list do not increase"),
                decoded(call + (read + read).formatted(80, 40) + ends));
        assertEquals(
                malformed(false, "a Position-Zero Read chunk among the items of a call"),
                decoded(call + read.formatted(0) + ends));
        assertEquals(
                malformed(false, "a Position is not a multiple of four"),
                decoded(call + read.formatted(41) + ends));
        assertEquals(
                malformed(false, "an external call without a Call chunk"),
                decoded(call.replace("0a", "08") + "00000000" + ends));
        assertEquals(
                malformed(false, "an external call without a Call chunk"),
                decoded(call.replace("0a", "08") + read.formatted(4) + ends + ends));
        assertEquals(
                malformed(true, "an external reply without a Reply chunk"),
                decoded("00000007 00000002 00000001 0000000b 00000000 00000000"));
    }

    private static Decoded malformed(boolean isReply, String why) {
        return new Decoded.Malformed(7, isReply, why);
    }
}
