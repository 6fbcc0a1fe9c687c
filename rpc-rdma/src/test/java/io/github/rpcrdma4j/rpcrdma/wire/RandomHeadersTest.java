package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.ChunkError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Done;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.NoMsg;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.VersionError;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec.Decoded;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: the codec decodes what it encodes. Method: random headers, and random bytes. */
class RandomHeadersTest {
    private static final int HEADERS = 3000;
    private static final int SLACK = 8;

    private static RandomGenerator random(long seed) {
        return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    }

    @Test
    @Tag("5666-2-1")
    void bringsEveryHeaderBackAndNoneThatIsCutOff() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            var random = random(seed);
                            var header = header(random);
                            int length = Version1HeaderCodec.encodedLength(header);
                            var memory = MemorySegment.ofArray(new byte[length + SLACK]);
                            assertEquals(length, Version1HeaderCodec.encode(header, memory));
                            assertEquals(
                                    new Decoded.Ok(header, length),
                                    Version1HeaderCodec.decode(memory),
                                    () -> "seed " + seed);
                            var cut = memory.asSlice(0, random.nextInt(length));
                            assertFalse(
                                    Version1HeaderCodec.decode(cut) instanceof Decoded.Ok,
                                    () -> "seed " + seed);
                        });
    }

    /** Goal: the codec throws for no bytes. Method: a valid version, so that it reads the lists. */
    @Test
    void makesAValueOfAnyBytes() {
        Seeds.many(HEADERS)
                .forEach(
                        seed -> {
                            var random = random(seed);
                            byte[] bytes = new byte[random.nextInt(200)];
                            random.nextBytes(bytes);
                            // Small words are plausible counts and booleans, so decoding goes on.
                            for (int at = 0; at < bytes.length; at++) {
                                if ((at & 3) != 3 || random.nextInt(4) == 0) {
                                    bytes[at] = 0;
                                } else {
                                    bytes[at] &= 7;
                                }
                            }
                            if (bytes.length > 7) {
                                bytes[7] = Version1Header.VERSION;
                            }
                            var message = MemorySegment.ofArray(bytes);
                            assertNotNull(Received.byResponder(message), () -> "seed " + seed);
                            assertNotNull(Received.byRequester(message), () -> "seed " + seed);
                        });
    }

    private static Version1Header header(RandomGenerator random) {
        int xid = random.nextInt();
        int credits = random.nextInt();
        return switch (random.nextInt(8)) {
            case 0 -> new Done(xid, credits);
            case 1 -> new ChunkError(xid, random.nextInt(), credits);
            case 2 ->
                    new VersionError(
                            xid, random.nextInt(), credits, random.nextInt(), random.nextInt());
            case 3, 4 -> new NoMsg(xid, credits, chunks(random));
            default -> new Msg(xid, credits, chunks(random));
        };
    }

    private static ChunkLists chunks(RandomGenerator random) {
        var reads = new ArrayList<ReadSegment>();
        for (int i = random.nextInt(6); i > 0; i--) {
            reads.add(new ReadSegment(random.nextInt(), segment(random)));
        }
        var writes = new ArrayList<WriteChunk>();
        for (int i = random.nextInt(4); i > 0; i--) {
            writes.add(chunk(random));
        }
        var reply =
                random.nextBoolean() ? Optional.of(chunk(random)) : Optional.<WriteChunk>empty();
        return new ChunkLists(reads, writes, reply);
    }

    private static WriteChunk chunk(RandomGenerator random) {
        List<Segment> segments = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            segments.add(segment(random));
        }
        return new WriteChunk(segments);
    }

    private static Segment segment(RandomGenerator random) {
        return new Segment(random.nextInt(), random.nextInt(), random.nextLong());
    }
}
