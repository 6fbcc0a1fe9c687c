package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.copy.RangeTransfer.FileRange;
import io.github.rpcrdma4j.nfs.client.local.LocalFile;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of a local file while they are copied. Thread-safe.
 *
 * <p>Tests: {@code CopiesTest}.
 */
final class SourceBytes {
    private final LocalFile file;
    private final LocalStatus status;
    private final String from;

    /** Where the contents end. */
    private final AtomicLong end;

    /**
     * @param status of the file when it was opened
     * @param from the file, for messages
     */
    SourceBytes(LocalFile file, LocalStatus status, String from) {
        this.file = file;
        this.status = status;
        this.from = from;
        this.end = new AtomicLong(status.size());
    }

    LocalFile file() {
        return file;
    }

    /** Returns the status of the file when it was opened. */
    LocalStatus status() {
        return status;
    }

    /** Returns how many bytes the file has, as far as it was read: its size may say more. */
    long end() {
        return end.get();
    }

    /** Returns whether the file has no holes, as far as its storage tells. */
    boolean isDense() {
        return status.used() >= status.size();
    }

    /**
     * Reads a range.
     *
     * @return how many bytes, which is fewer than the range has if the file ends in it
     * @throws EOFException if the file has become shorter
     */
    long fill(FileRange range, MemorySegment bytes) throws IOException {
        long filled = 0;
        while (filled < range.length()) {
            int count = file.read(bytes.asSlice(filled), range.from() + filled);
            if (count == 0) {
                requireNotShorter();
                // Files of /proc and its like may report a size that is larger than their
                // contents.
                end.accumulateAndGet(range.from() + filled, Math::min);
                return filled;
            }
            filled += count;
        }
        return filled;
    }

    void requireNotShorter() throws IOException {
        if (file.status().size() < status.size()) {
            throw new EOFException(
                    "cannot read " + from + ": it became shorter while it was copied");
        }
    }
}
