package io.github.rpcrdma4j.bench.stack;

/** The offsets of successive pieces of a file; they start again at its end. Not thread-safe. */
final class CyclicOffsets {
    private final int length;
    private final long fileBytes;
    private long next;

    /**
     * @param length the length of a piece in bytes, which divides {@code fileBytes}
     */
    CyclicOffsets(int length, long fileBytes) {
        this.length = length;
        this.fileBytes = fileBytes;
    }

    long next() {
        long offset = next;
        next = (offset + length) % fileBytes;
        return offset;
    }
}
