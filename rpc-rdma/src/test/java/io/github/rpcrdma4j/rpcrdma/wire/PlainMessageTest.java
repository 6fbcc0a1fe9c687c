package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.wire.Version1Header.Msg;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/** Goal: the fast path for messages without chunks agrees with the complete codec. */
class PlainMessageTest {
    private static final int MESSAGES = 20_000;
    private static final int LONGEST = 60;

    /** Returns a call or a reply without chunks, with up to two bytes changed, often truncated. */
    private static MemorySegment message(RandomGenerator random) {
        int xid = random.nextInt();
        byte[] bytes = new byte[LONGEST];
        var message = MemorySegment.ofArray(bytes);
        Version1HeaderCodec.encode(new Msg(xid, random.nextInt(), ChunkLists.EMPTY), message);
        System.arraycopy(bytes, 0, bytes, PlainMessage.HEADER_BYTES, Integer.BYTES);
        bytes[PlainMessage.HEADER_BYTES + 7] = (byte) random.nextInt(2);
        for (int i = random.nextInt(3); i > 0; i--) {
            bytes[random.nextInt(LONGEST)] = (byte) random.nextInt(3);
        }
        return message.asSlice(0, random.nextInt(3) == 0 ? random.nextInt(LONGEST) : LONGEST);
    }

    @Test
    void agreesWithTheCompleteCodec() {
        Seeds.many(MESSAGES)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var message = message(random);
                            boolean call =
                                    Received.byResponder(message)
                                                    instanceof
                                                    Received.Call(Msg(_, _, var chunks), _, _)
                                            && chunks.isEmpty();
                            boolean reply =
                                    Received.byRequester(message)
                                                    instanceof
                                                    Received.Reply(Msg(_, _, var chunks), _, _)
                                            && chunks.isEmpty();
                            long length = message.byteSize();
                            assertEquals(
                                    call,
                                    PlainMessage.isCall(message, length),
                                    () -> "seed " + seed);
                            assertEquals(
                                    reply,
                                    PlainMessage.isReply(message, length),
                                    () -> "seed " + seed);
                        });
    }

    @Test
    void encodesLikeTheCompleteCodec() {
        var expected = MemorySegment.ofArray(new byte[PlainMessage.HEADER_BYTES]);
        var written = MemorySegment.ofArray(new byte[PlainMessage.HEADER_BYTES]);
        written.fill((byte) 7);
        Version1HeaderCodec.encode(new Msg(0xdeadbeef, 77, ChunkLists.EMPTY), expected);
        PlainMessage.encode(0xdeadbeef, 77, written);
        assertEquals(-1, expected.mismatch(written));
        assertEquals(0xdeadbeef, PlainMessage.xid(written));
        assertEquals(77, PlainMessage.credits(written));
    }
}
