package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RawTextTest {
    @Test
    void losesNoBytes() {
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                for (byte[] bytes :
                        new byte[][] {
                            {(byte) first},
                            {(byte) first, (byte) second},
                            {'a', (byte) first, (byte) second, 'b'},
                            {(byte) 0xf0, (byte) 0x9f, (byte) first, (byte) second}
                        }) {
                    assertArrayEquals(bytes, RawText.bytes(RawText.of(bytes)));
                }
            }
        }
        long seed = Long.getLong("seed", System.nanoTime());
        var random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(20)];
            random.nextBytes(bytes);
            assertArrayEquals(bytes, RawText.bytes(RawText.of(bytes)), "seed " + seed);
        }
    }

    @Test
    void isTheTextOfWhatIsUtf8() {
        for (var text : new String[] {"", "a", "größe", "☃", "👩‍🔬", "a\0b"}) {
            assertEquals(text, RawText.of(text.getBytes(StandardCharsets.UTF_8)));
        }
        assertEquals("x\udce9y", RawText.of(new byte[] {'x', (byte) 0xe9, 'y'}));
    }

    @Test
    void hasAQuestionMarkForWhatIsNoText() {
        assertArrayEquals("a?b".getBytes(StandardCharsets.UTF_8), RawText.bytes("a\ud800b"));
    }
}
