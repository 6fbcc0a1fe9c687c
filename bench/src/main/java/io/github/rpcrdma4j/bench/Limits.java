package io.github.rpcrdma4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Measures how fast this machine copies memory and computes CRCs, the upper limit of all stacks.
 */
final class Limits {
    private static final int BYTES = 64 << 20;
    private static final int PIECE = 1 << 20;
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private interface Piece {
        void take(long at);
    }

    private Limits() {}

    /** Measures both limits and returns them as one line of text. */
    static String text() {
        try (var arena = Arena.ofConfined()) {
            var source = arena.allocate(BYTES).fill((byte) 1);
            var target = arena.allocate(BYTES).fill((byte) 2);
            var bytes = source.asByteBuffer();
            var crc = new CRC32C();
            double copied =
                    gigabytesPerSecond(at -> MemorySegment.copy(source, at, target, at, PIECE));
            double checked = gigabytesPerSecond(at -> crc.update(piece(bytes, at)));
            return String.format(
                    "This machine, with %d MiB of memory in pieces of 1 MiB: copies %.1f GB/s,"
                            + " CRC32C %.1f GB/s.",
                    BYTES >> 20, copied, checked);
        }
    }

    private static ByteBuffer piece(ByteBuffer bytes, long at) {
        return bytes.slice((int) at, PIECE);
    }

    private static double gigabytesPerSecond(Piece piece) {
        double best = 0;
        for (int round = 0; round < 2; round++) {
            long start = System.nanoTime();
            long done = 0;
            long now = start;
            while (now - start < NANOS) {
                piece.take(done % BYTES);
                done += PIECE;
                now = System.nanoTime();
            }
            best = Math.max(best, done / (double) (now - start));
        }
        return best;
    }
}
