package io.github.rpcrdma4j.rpcrdma.v2.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec.Decoded;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Goal: every encoded header can be decoded. Method: random headers, and random bytes. */
class RandomHeadersTest {
    private static final int HEADERS = 5000;
    private static final int SLACK = 8;

    private RandomGenerator random;

    private void draw(long seed) {
        random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    @Test
    void bringsEveryHeaderBackAndNoneThatIsCutOff() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            draw(seed);
                            var header = new RandomHeaders(random).header();
                            int length = Version2HeaderCodec.encodedLength(header);
                            var memory = MemorySegment.ofArray(new byte[length + SLACK]);
                            assertEquals(length, Version2HeaderCodec.encode(header, memory));
                            assertEquals(
                                    new Decoded.Ok(header, length),
                                    Version2HeaderCodec.decode(memory, Examples.ALL),
                                    () -> "seed " + seed);
                            var cut = memory.asSlice(0, random.nextInt(length));
                            assertFalse(
                                    Version2HeaderCodec.decode(cut, Examples.ALL)
                                            instanceof Decoded.Ok,
                                    () -> "seed " + seed);
                        });
    }

    /**
     * Goal: no bytes cause an exception. Method: the first words are valid, so that operations are
     * decoded.
     */
    @Test
    void makesAValueOfAnyBytes() {
        Seeds.many(4 * HEADERS)
                .forEach(
                        seed -> {
                            draw(seed);
                            byte[] bytes = new byte[random.nextInt(28, 240)];
                            // Small words are plausible counts and types, so decoding gets further.
                            for (int at = 0; at < bytes.length; at++) {
                                bytes[at] =
                                        (at & 3) != 3 || random.nextInt(4) == 0
                                                ? 0
                                                : (byte) random.nextInt(8);
                            }
                            bytes[7] = Version2Header.VERSION;
                            bytes[15] =
                                    (byte)
                                            List.of(0, 1, 4, 5, 5, 5, 5)
                                                    .get(random.nextInt(7))
                                                    .intValue();
                            bytes[23] = (byte) random.nextInt(1, 9);
                            bytes[27] = (byte) (bytes.length - 28);
                            var message = MemorySegment.ofArray(bytes);
                            assertNotNull(Received.of(message, Examples.ALL), () -> "seed " + seed);
                            assertNotNull(Received.of(message, Set.of()), () -> "seed " + seed);
                        });
    }
}
