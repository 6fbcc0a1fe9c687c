package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.List;
import java.util.Optional;

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

    public boolean isEmpty() {
        return readList.isEmpty() && writeList.isEmpty() && replyChunk.isEmpty();
    }
}
