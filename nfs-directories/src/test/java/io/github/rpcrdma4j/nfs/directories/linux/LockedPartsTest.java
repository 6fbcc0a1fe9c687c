package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: the parts are those of a set of bytes that are added and removed one by one. */
class LockedPartsTest {
    private static final int BYTES = 40;

    @Test
    void partsAreTheUnionOfWhatWasAddedWithoutWhatWasRemoved() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++) {
            var parts = new LockedParts();
            var model = new BitSet();
            for (int i = 0; i < 20; i++) {
                int first = random.nextInt(BYTES);
                int length = 1 + random.nextInt(BYTES - first);
                if (random.nextInt(3) > 0) {
                    parts.add(first, length);
                    model.set(first, first + length);
                } else {
                    parts.remove(first, length);
                    model.clear(first, first + length);
                }
                assertEquals(model(model), parts.all(), "seed " + seed);
            }
        }
    }

    private static List<LockedParts.Part> model(BitSet bytes) {
        var all = new ArrayList<LockedParts.Part>();
        for (int at = bytes.nextSetBit(0); at >= 0; at = bytes.nextSetBit(at)) {
            int end = bytes.nextClearBit(at);
            all.add(new LockedParts.Part(at, end - at));
            at = end;
        }
        return all;
    }

    @Test
    void aLengthOfZeroReachesToTheLastByte() {
        var parts = new LockedParts();
        parts.add(Long.MAX_VALUE, 1);
        parts.add(10, 0);
        assertEquals(List.of(new LockedParts.Part(10, 0)), parts.all());
        parts.remove(20, 0);
        assertEquals(List.of(new LockedParts.Part(10, 10)), parts.all());
        parts.add(0, 0);
        parts.remove(5, 1);
        assertEquals(List.of(new LockedParts.Part(0, 5), new LockedParts.Part(6, 0)), parts.all());
    }
}
