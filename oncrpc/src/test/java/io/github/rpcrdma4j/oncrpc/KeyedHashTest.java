package io.github.rpcrdma4j.oncrpc;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: the hash codes are those of SipHash-2-4, so that nobody can choose keys of one hash. */
class KeyedHashTest {
    /** The vectors of the reference implementation: key 00 to 0f, message 00, 01, 02 and so on. */
    @ParameterizedTest
    @CsvSource({
        "0, 726fdb47dd0e0e31",
        "1, 74f839c593dc67fd",
        "7, ab0200f58b01d137",
        "8, 93f5f5799a932462",
        "9, 9e0082df0ba9e4b0",
        "15, a129ca6149be45e5",
        "16, 3f2acc7f57c29bdb",
        "63, 958a324ceb064572"
    })
    void theHashIsSipHash(int length, String expected) {
        var hash = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        byte[] message = new byte[length];
        for (int i = 0; i < length; i++) {
            message[i] = (byte) i;
        }
        assertEquals(expected, Long.toHexString(hash.hash(message)));
    }

    @Test
    void textsHashAsTheirCharacters() {
        var hash = KeyedHash.random();
        var text = "a\u00e4\u20ac\ud83d\ude00z0123456789";
        for (int i = 0; i <= text.length(); i++) {
            var part = text.substring(i).replace('\ud83d', 'b').replace('\ude00', 'c');
            assertEquals(hash.hash(part.getBytes(UTF_16LE)), hash.hash(part));
        }
    }

    /** An encoder makes one question mark of all of them. */
    @Test
    void halvesOfCharactersAreToldApart() {
        assertSpread(
                IntStream.range(0, 1 << 14)
                        .map(i -> KeyedHash.of("\ud800" + (char) (0xd800 + i % 1024) + i / 1024)));
    }

    @Test
    void numbersHashAsTheirBytes() {
        byte[] bytes = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, (byte) 0x80};
        assertEquals(KeyedHash.of(bytes), KeyedHash.of(1, 2 | Long.MIN_VALUE));
        assertEquals(KeyedHash.of(bytes), KeyedHash.of(new long[] {1, 2 | Long.MIN_VALUE}));
        assertNotEquals(KeyedHash.of(1, 2), KeyedHash.of(2, 1));
    }

    /** The two texts have one hash code in Java, and so have all sequences of them. */
    @Test
    void textsOfOneHashCodeInJavaAreToldApart() {
        assertEquals("Aa".hashCode(), "BB".hashCode());
        var texts = IntStream.range(0, 1 << 14).mapToObj(KeyedHashTest::text).toList();
        assertEquals(1, texts.stream().map(String::hashCode).distinct().count());
        assertSpread(texts.stream().mapToInt(KeyedHash::of));
        assertSpread(texts.stream().map(String::getBytes).mapToInt(KeyedHash::of));
    }

    @Test
    void credentialsThatAPeerChoosesAreToldApart() {
        assertSpread(
                IntStream.range(0, 1 << 14)
                        .map(i -> new Credential.Sys(0, text(i), 1, 1, List.of()).hashCode()));
        // With the sum 31 * uid + gid of records these would be one.
        assertSpread(
                IntStream.range(0, 1 << 14)
                        .map(i -> new Credential.Sys(0, "host", i, -31 * i, List.of()).hashCode()));
        assertSpread(
                IntStream.range(0, 1 << 14)
                        .map(
                                i ->
                                        new Credential.Sys(0, "host", 1, 1, List.of(i, -31 * i))
                                                .hashCode()));
        assertSpread(
                IntStream.range(0, 1 << 14)
                        .map(
                                i ->
                                        new Credential.Principal(text(i), SecurityFlavor.KRB5)
                                                .hashCode()));
    }

    private static String text(int number) {
        var text = new StringBuilder();
        for (int bit = 0; bit < 14; bit++) {
            text.append((number >>> bit & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    /** Of 16,384 random numbers of 32 bits, three or more are equal once in 25 million times. */
    private static void assertSpread(IntStream hashes) {
        int[] sorted = hashes.sorted().toArray();
        int run = 0;
        int longest = 0;
        for (int i = 0; i < sorted.length; i++) {
            run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
            longest = Math.max(longest, run);
        }
        assertTrue(longest <= 2, "equal hash codes: " + longest);
        assertTrue(Arrays.stream(sorted).distinct().count() > sorted.length - 10);
    }
}
