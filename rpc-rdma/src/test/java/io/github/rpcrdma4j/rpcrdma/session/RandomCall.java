package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/**
 * A random call of {@link EchoProgram}, with its expected outcome.
 *
 * @param refused whether the program must refuse the call
 * @param isTrusted whether the peer answers correctly; if not, every outcome is accepted
 * @param check checks the results
 */
public record RandomCall(RpcCall call, boolean refused, boolean isTrusted, Check check) {
    /** Checks the results of one call. */
    interface Check {
        void check(XdrReader results) throws Exception;
    }

    RandomCall(RpcCall call, boolean refused, Check check) {
        this(call, refused, true, check);
    }

    /** Returns this call for a peer that may answer anything. */
    public RandomCall withHostilePeer() {
        return new RandomCall(call, refused, false, check);
    }

    /** Checks the reply of the call. */
    void answered(XdrReader reply) {
        try {
            var header = ReplyHeader.decode(reply);
            assertEquals(refused, header instanceof ReplyHeader.Refused);
            check.check(reply);
        } catch (Exception | AssertionError wrong) {
            if (isTrusted) {
                throw new AssertionError(wrong);
            }
        }
    }

    /** Returns a random call of any procedure. */
    public static RandomCall any(RandomGenerator random, int sizeMax) {
        int size = random.nextInt(4) == 0 ? random.nextInt(5) : random.nextInt(sizeMax);
        int seed = random.nextInt();
        boolean heap = random.nextBoolean();
        return switch (random.nextInt(7)) {
            case 0 -> new RandomCall(EchoProgram.nullCall(), false, XdrReader::finish);
            case 1 -> store(filled(size, seed, heap), seed);
            case 2 ->
                    new RandomCall(
                            EchoProgram.fetch(size, seed, memory(size, heap)),
                            false,
                            in -> {
                                assertEquals(size, in.uint32());
                                checkBulk(in, size, seed);
                            });
            case 3 -> list(size, seed);
            case 4 -> {
                var data = filled(size, seed, heap);
                yield new RandomCall(
                        EchoProgram.tell(data),
                        false,
                        in -> assertEquals(EchoProgram.sum(data), in.uint64()));
            }
            case 5 ->
                    new RandomCall(
                            EchoProgram.swap(filled(size, seed, heap), memory(size, heap)),
                            false,
                            in -> checkBulk(in, size, seed));
            default ->
                    new RandomCall(
                            new RpcCall(EchoProgram.PROGRAM, 1, EchoProgram.FAIL, _ -> {}, 0),
                            true,
                            _ -> {});
        };
    }

    /** Returns a LIST or a STORE call with arguments or results of a random length. */
    public static RandomCall plain(RandomGenerator random, int sizeMax) {
        int size = random.nextInt(sizeMax);
        int seed = random.nextInt();
        return random.nextBoolean() ? list(size, seed) : store(filled(size, seed, true), seed);
    }

    private static RandomCall store(MemorySegment data, int seed) {
        return new RandomCall(
                EchoProgram.store(seed, data),
                false,
                in -> {
                    assertEquals(seed, in.uint32());
                    assertEquals(EchoProgram.sum(data), in.uint64());
                    in.finish();
                });
    }

    private static RandomCall list(int size, int seed) {
        return new RandomCall(
                EchoProgram.list(size, seed),
                false,
                in -> {
                    assertArrayEquals(EchoProgram.pattern(size, seed), in.bytes(size));
                    in.finish();
                });
    }

    private static void checkBulk(XdrReader in, int size, int seed) throws Exception {
        assertArrayEquals(
                EchoProgram.pattern(size, seed), in.bulk(size).toArray(ValueLayout.JAVA_BYTE));
        in.finish();
    }

    private static MemorySegment filled(int size, int seed, boolean heap) {
        var data = memory(size, heap);
        data.copyFrom(MemorySegment.ofArray(EchoProgram.pattern(size, seed)));
        return data;
    }

    private static MemorySegment memory(int size, boolean heap) {
        return heap
                ? MemorySegment.ofArray(new byte[size])
                : Arena.ofAuto().allocate(size + 1).asSlice(0, size);
    }
}
