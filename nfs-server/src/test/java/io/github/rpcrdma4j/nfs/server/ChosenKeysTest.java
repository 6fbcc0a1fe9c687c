package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.nfs.state.event.HostName;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a client cannot make a map slow by keys whose hash codes are equal by the rules of Java. A
 * hash map compares a key with the keys of the same hash code, so these pairs are counted.
 */
class ChosenKeysTest {
    private static final int BITS = 16;
    private static final int COUNT = 1 << BITS;

    /**
     * The most pairs of one hash code. Among 65,536 random numbers of 32 bits half a pair is equal
     * on average, and more than ten once in 10^14 times. With hash codes that everybody can compute
     * there are 2^31 pairs.
     */
    private static final long PAIRS_MAX = 10;

    /** The types of keys that a client chooses, with keys of one hash code in Java. */
    enum Keys {
        OWNER(i -> OpaqueName.of(text(i))),
        // The hash code of a long is the difference of its halves.
        CLIENT_OWNER(i -> new ClientOwner((long) i << Integer.SIZE | i, OpaqueName.of(text(0)))),
        STATE_OWNER(i -> new StateOwner(1, OpaqueName.of(text(i)))),
        HOST_NAME(i -> new HostName("192.0.2.1", OpaqueName.of(text(i)))),
        FILE_NAME(i -> FileName.of(new String(text(i), StandardCharsets.US_ASCII))),
        MOUNT(
                i ->
                        new MountEntry(
                                "host",
                                PathName.of(new String(text(i), StandardCharsets.US_ASCII)))),
        HANDLE(i -> FileHandle.of(text(i))),
        FILE(i -> new FileId(text(i))),
        // 31 * first + last is 0.
        RANGE(i -> new ByteRange(i, 1L << Integer.SIZE | Integer.toUnsignedLong(1 ^ -31 * i))),
        CALLER(i -> new Caller.User(i, -31 * i - 2)),
        CALLER_BY_GROUPS(i -> new Caller.User(1, 1, i + 1, Integer.MAX_VALUE - 31 * i)),
        SESSION(i -> new SessionId((long) i << Integer.SIZE | i, 0));

        private final IntFunction<Object> make;

        Keys(IntFunction<Object> make) {
            this.make = make;
        }
    }

    /** "Aa" and "BB" have one hash code, and so have all sequences of them. */
    private static byte[] text(int number) {
        var text = ByteBuffer.allocate(2 * BITS);
        for (int bit = 0; bit < BITS; bit++) {
            text.put((number >>> bit & 1) == 0 ? new byte[] {'A', 'a'} : new byte[] {'B', 'B'});
        }
        return text.array();
    }

    @Test
    void theseNamesHaveOneHashCodeInJava() {
        assertEquals(
                1, IntStream.range(0, COUNT).map(i -> Arrays.hashCode(text(i))).distinct().count());
    }

    @ParameterizedTest
    @EnumSource
    void keysOfOneHashCodeInJavaAreComparedWithFewOthers(Keys keys) {
        var groups = new HashMap<Integer, Long>();
        long pairs = 0;
        for (int i = 0; i < COUNT; i++) {
            long same = groups.merge(keys.make.apply(i).hashCode(), 1L, Long::sum);
            pairs += same - 1;
        }
        assertTrue(pairs <= PAIRS_MAX, "pairs of one hash code: " + pairs);
    }
}
