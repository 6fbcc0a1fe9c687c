package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The three chunk lists of a transport header, with the checks that hold in every version (RFC
 * 8166, Sections 3.4, 4.2 and 4.3).
 *
 * <p>Tests: {@code ReactionsTest}, {@code GoldenHeadersTest}.
 *
 * @param readList the Read list, flat; entries of one position form a chunk
 * @param writeList the Write list, with one chunk for each result that may be placed
 * @param replyChunk the Reply chunk, which may hold the whole reply message
 */
public record ChunkLists(
        List<ReadSegment> readList, List<WriteChunk> writeList, Optional<WriteChunk> replyChunk) {
    /** Lists without chunks. */
    public static final ChunkLists EMPTY = new ChunkLists(List.of(), List.of(), Optional.empty());

    private static final long NO_HANDLE = -1;
    private static final long SEVERAL_HANDLES = -2;
    private static final Optional<String> WRAPS =
            Optional.of("a segment wraps around the end of memory");

    public ChunkLists {
        readList = List.copyOf(readList);
        writeList = List.copyOf(writeList);
    }

    /** Returns the handle that all segments share; empty if there are several handles, or none. */
    public OptionalInt onlyHandle() {
        long only = NO_HANDLE;
        for (int i = 0; i < readList.size(); i++) {
            only = with(readList.get(i).target(), only);
        }
        for (int i = 0; i < writeList.size(); i++) {
            only = with(writeList.get(i), only);
        }
        if (replyChunk.isPresent()) {
            only = with(replyChunk.get(), only);
        }
        return only < 0 ? OptionalInt.empty() : OptionalInt.of((int) only);
    }

    private static long with(WriteChunk chunk, long known) {
        long only = known;
        for (int i = 0; i < chunk.segments().size(); i++) {
            only = with(chunk.segments().get(i), only);
        }
        return only;
    }

    private static long with(Segment segment, long known) {
        long handle = Integer.toUnsignedLong(segment.handle());
        return known == NO_HANDLE || known == handle ? handle : SEVERAL_HANDLES;
    }

    /** Returns how many bytes the Read list has. */
    public long readBytes() {
        long bytes = 0;
        for (int i = 0; i < readList.size(); i++) {
            bytes += readList.get(i).target().size();
        }
        return bytes;
    }

    /** Returns how many bytes the Write chunks and the Reply chunk have. */
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

    /** Returns the fault in the lists of a call with an inline message; empty if there is none. */
    public Optional<String> faultOfInlineCall() {
        if (positionZeroBytes() >= 0) {
            return Optional.of("an RDMA_MSG with a Position-Zero Read chunk");
        }
        return fault();
    }

    /**
     * Returns the fault in the lists of a call with its message in a chunk; empty if there is none.
     */
    public Optional<String> faultOfLongCall() {
        long length = positionZeroBytes();
        // RFC 8166-4.2.4-1.
        if (length < 0) {
            return Optional.of("an RDMA_NOMSG call without a Position-Zero Read chunk");
        }
        if (length == 0 || length % Integer.BYTES != 0) {
            return Optional.of("the Position-Zero Read chunk is not a whole message");
        }
        return fault();
    }

    /**
     * Returns the fault in the lists of a reply with its message in a Reply chunk or a Read chunk;
     * empty if there is none.
     */
    public Optional<String> faultOfLongReply() {
        long inReplyChunk = replyChunk.map(WriteChunk::size).orElse(0L);
        long toBeRead = positionZeroBytes();
        if (inReplyChunk == 0 && toBeRead < 0) {
            return Optional.of("an RDMA_NOMSG reply without a Reply chunk");
        }
        if (inReplyChunk > 0 && toBeRead >= 0) {
            return Optional.of("a message both in the Reply chunk and to be read");
        }
        if (toBeRead == 0 || toBeRead > 0 && toBeRead % Integer.BYTES != 0) {
            return Optional.of("the Position-Zero Read chunk is not a whole message");
        }
        return faultOfReadList();
    }

    /** Returns the length of the Position-Zero Read chunk in bytes; -1 if there is none. */
    public long positionZeroBytes() {
        long length = -1;
        for (var read : readList) {
            if (read.position() == 0) {
                length = Math.max(length, 0) + read.target().size();
            }
        }
        return length;
    }

    /** Returns the fault in the entries of the Read list; empty if there is none. */
    public Optional<String> faultOfReadList() {
        for (var read : readList) {
            // RFC 8166-3.4.5-3.
            if ((read.position() & 3) != 0) {
                return Optional.of("a Position is not a multiple of four");
            }
            if (wraps(read.target())) {
                return WRAPS;
            }
        }
        return Optional.empty();
    }

    private Optional<String> fault() {
        for (var chunk : writeList) {
            if (wraps(chunk)) {
                return WRAPS;
            }
        }
        return replyChunk.isPresent() && wraps(replyChunk.get()) ? WRAPS : faultOfReadList();
    }

    private static boolean wraps(WriteChunk chunk) {
        for (var segment : chunk.segments()) {
            if (wraps(segment)) {
                return true;
            }
        }
        return false;
    }

    private static boolean wraps(Segment segment) {
        long end = segment.offset() + segment.size();
        return Long.compareUnsigned(end, segment.offset()) < 0 && end != 0;
    }
}
