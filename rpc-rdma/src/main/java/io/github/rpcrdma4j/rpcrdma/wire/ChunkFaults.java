package io.github.rpcrdma4j.rpcrdma.wire;

import java.util.Optional;

/** What the chunk lists of a message have to be, in every version (RFC 8166, Sections 3.4, 4.2). */
public final class ChunkFaults {
    private static final Optional<String> WRAPS =
            Optional.of("a segment wraps around the end of memory");

    private ChunkFaults() {}

    /** What is wrong with the lists of a call whose message is inline; empty if nothing is. */
    public static Optional<String> ofInlineCall(ChunkLists chunks) {
        if (positionZeroBytes(chunks) >= 0) {
            return Optional.of("an RDMA_MSG with a Position-Zero Read chunk");
        }
        return fault(chunks);
    }

    /** What is wrong with the lists of a call whose message is a chunk; empty if nothing is. */
    public static Optional<String> ofLongCall(ChunkLists chunks) {
        long length = positionZeroBytes(chunks);
        // RFC 8166-4.2.4-1.
        if (length < 0) {
            return Optional.of("an RDMA_NOMSG call without a Position-Zero Read chunk");
        }
        if (length == 0 || length % Integer.BYTES != 0) {
            return Optional.of("the Position-Zero Read chunk is not a whole message");
        }
        return fault(chunks);
    }

    /**
     * What is wrong with the lists of a reply whose message is in a chunk, where a Read chunk may
     * be that; empty if nothing is.
     */
    public static Optional<String> ofLongReply(ChunkLists chunks) {
        long inReplyChunk = chunks.replyChunk().map(WriteChunk::size).orElse(0L);
        long toBeRead = positionZeroBytes(chunks);
        if (inReplyChunk == 0 && toBeRead < 0) {
            return Optional.of("an RDMA_NOMSG reply without a Reply chunk");
        }
        if (inReplyChunk > 0 && toBeRead >= 0) {
            return Optional.of("a message both in the Reply chunk and to be read");
        }
        if (toBeRead == 0 || toBeRead > 0 && toBeRead % Integer.BYTES != 0) {
            return Optional.of("the Position-Zero Read chunk is not a whole message");
        }
        return ofReadList(chunks);
    }

    /** The length of the Position-Zero Read chunk in octets; -1 if there is none. */
    public static long positionZeroBytes(ChunkLists chunks) {
        long length = -1;
        for (var read : chunks.readList()) {
            if (read.position() == 0) {
                length = Math.max(length, 0) + read.target().size();
            }
        }
        return length;
    }

    /** What is wrong with the entries of a Read list; empty if nothing is. */
    public static Optional<String> ofReadList(ChunkLists chunks) {
        for (var read : chunks.readList()) {
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

    private static Optional<String> fault(ChunkLists chunks) {
        var ofReadList = ofReadList(chunks);
        if (ofReadList.isPresent()) {
            return ofReadList;
        }
        for (var chunk : chunks.writeList()) {
            if (wraps(chunk)) {
                return WRAPS;
            }
        }
        if (chunks.replyChunk().isPresent() && wraps(chunks.replyChunk().get())) {
            return WRAPS;
        }
        return Optional.empty();
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
