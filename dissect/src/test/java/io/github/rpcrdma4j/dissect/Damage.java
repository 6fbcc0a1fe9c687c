package io.github.rpcrdma4j.dissect;

import java.util.Arrays;
import java.util.function.Consumer;

/** Damages captures. */
final class Damage {
    private Damage() {}

    /**
     * Passes on every truncation of a file, and the file with each of two bits of every byte
     * flipped.
     */
    static void each(byte[] file, Consumer<byte[]> survive) {
        for (int at = 0; at < file.length; at++) {
            survive.accept(Arrays.copyOf(file, at));
            byte right = file[at];
            for (int bit : new int[] {at % 8, (at + 3) % 8}) {
                file[at] = (byte) (right ^ 1 << bit);
                survive.accept(file);
            }
            file[at] = right;
        }
    }
}
