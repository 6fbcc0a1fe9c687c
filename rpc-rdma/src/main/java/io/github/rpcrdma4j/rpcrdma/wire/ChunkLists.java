package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

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
        var handles = new HashSet<Integer>();
        readList.forEach(read -> handles.add(read.target().handle()));
        writeList.forEach(chunk -> addHandles(chunk, handles));
        replyChunk.ifPresent(chunk -> addHandles(chunk, handles));
        return handles.size() == 1
                ? OptionalInt.of(handles.iterator().next())
                : OptionalInt.empty();
    }

    private static void addHandles(WriteChunk chunk, Set<Integer> handles) {
        chunk.segments().forEach(segment -> handles.add(segment.handle()));
    }

    public boolean isEmpty() {
        return readList.isEmpty() && writeList.isEmpty() && replyChunk.isEmpty();
    }
}
