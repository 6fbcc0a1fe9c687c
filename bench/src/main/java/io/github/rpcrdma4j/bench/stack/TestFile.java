package io.github.rpcrdma4j.bench.stack;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Makes test files without holes. */
final class TestFile {
    private static final int PIECE = 1 << 20;

    private TestFile() {}

    /** Makes a file of {@code bytes} bytes without holes. */
    static Path create(Path path, long bytes) throws IOException {
        var piece = ByteBuffer.allocateDirect(PIECE);
        for (int i = 0; i < PIECE; i++) {
            piece.put(i, (byte) (i * 31 + (i >> 8)));
        }
        try (var channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; ) {
                piece.clear().limit((int) Math.min(PIECE, bytes - at));
                at += channel.write(piece);
            }
        }
        return path;
    }
}
