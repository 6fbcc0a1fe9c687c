package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The three lists of a transport header (RFC 8166, Section 4.3).
 *
 * @param readList one flat list; entries of the same position belong together
 * @param writeList one chunk for each result that may be placed
 * @param replyChunk where the whole reply may go
 */
public record ChunkLists(
        List<ReadSegment> readList, List<WriteChunk> writeList, Optional<WriteChunk> replyChunk) {
    /** Nothing is moved apart. */
    public static final ChunkLists EMPTY = new ChunkLists(List.of(), List.of(), Optional.empty());

    public ChunkLists {
        readList = List.copyOf(readList);
        writeList = List.copyOf(writeList);
    }

    /** The handle that all segments share; empty if there are several, or none. */
    public OptionalInt onlyHandle() {
        if (isEmpty()) {
            return OptionalInt.empty();
        }
        var handles = new Handles();
        for (int i = 0; i < readList.size(); i++) {
            handles.add(readList.get(i).target());
        }
        for (int i = 0; i < writeList.size(); i++) {
            handles.add(writeList.get(i));
        }
        if (replyChunk.isPresent()) {
            handles.add(replyChunk.get());
        }
        return handles.only();
    }

    /** Whether all handles are the same. */
    private static final class Handles {
        private int count;
        private int first;

        void add(WriteChunk chunk) {
            for (int i = 0; i < chunk.segments().size(); i++) {
                add(chunk.segments().get(i));
            }
        }

        void add(Segment segment) {
            if (count == 0) {
                first = segment.handle();
            }
            if (count == 0 || segment.handle() != first) {
                count++;
            }
        }

        OptionalInt only() {
            return count == 1 ? OptionalInt.of(first) : OptionalInt.empty();
        }
    }

    /** Bytes that the Read list names. */
    public long readBytes() {
        long bytes = 0;
        for (int i = 0; i < readList.size(); i++) {
            bytes += readList.get(i).target().size();
        }
        return bytes;
    }

    /** Bytes of the Write chunks and the Reply chunk. */
    public long resultBytes() {
        long bytes = replyChunk.isPresent() ? replyChunk.get().size() : 0;
        for (int i = 0; i < writeList.size(); i++) {
            bytes += writeList.get(i).size();
        }
        return bytes;
    }

    public boolean isEmpty() {
        return readList.isEmpty() && writeList.isEmpty() && replyChunk.isEmpty();
    }
}
