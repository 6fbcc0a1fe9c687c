package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadPieces;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * How a reply travels (RFC 8166, Sections 3.5.3 and 4.3). Pure.
 *
 * @param inReplyChunk whether the message is written to the Reply chunk; otherwise it is inline
 * @param returned the lists that the requester gave, with the lengths that were written
 * @param writes the RDMA Writes to make before the Send
 * @param inline the message as it follows the header; empty if it is in the Reply chunk
 */
public record ReplyPlan(
        boolean inReplyChunk,
        ChunkLists returned,
        List<ChunkWrite> writes,
        List<MemorySegment> inline) {
    /**
     * What of the results goes to Write chunks.
     *
     * @param writeList as it goes back
     * @param writes the RDMA Writes to make
     * @param reduced the results that are gone from the stream, by index
     */
    public record Placed(List<WriteChunk> writeList, List<ChunkWrite> writes, BitSet reduced) {}

    /**
     * Lays results into Write chunks.
     *
     * @param eligible which of the results may be reduced
     * @return empty if one of them is longer than its chunk
     */
    public static Optional<Placed> place(
            ChunkLists offered, List<BulkItem> items, Eligibility eligible) {
        var writes = new ArrayList<ChunkWrite>();
        var reduced = new BitSet();
        var writeList = new ArrayList<WriteChunk>(offered.writeList().size());
        int next = 0;
        for (int i = 0; i < offered.writeList().size(); i++) {
            // The binding says which result has the chunk (RFC 8166-4.3.2.1-1, 8166-4.3.2.2-1), and
            // what has one goes there (RFC 8166-4.3.2-2, 5666-3.6-1).
            var chunk = offered.writeList().get(i);
            boolean comes =
                    next < items.size()
                            && i < eligible.results()
                            && eligible.pairing().chunk(next, items.get(next).ordinal()) == i;
            int item = comes ? next++ : -1;
            long length = comes ? items.get(item).data().byteSize() : 0;
            if (length == 0 || chunk.size() == 0) {
                // There is nothing to place (RFC 8166-4.3.2.2-3, 5666-3.4-13), or the chunk is
                // empty:
                // the requester wants the result inline (RFC 8166-4.3.2.3-2, 5667-5-1).
                writeList.add(chunk.unused());
                continue;
            }
            // Before anything is written (RFC 8267-3.1-5, 5667-3-1).
            if (chunk.size() < length) {
                return Optional.empty();
            }
            var filled = chunk.filled(length);
            // The item and no padding (RFC 8166-3.4.6.2-2).
            var data = PayloadPieces.of(items.get(item).data());
            write(filled, data, writes);
            writeList.add(filled);
            // RFC 5667-3-2.
            reduced.set(item);
        }
        return Optional.of(new Placed(writeList, writes, reduced));
    }

    /**
     * @param offered what the call offered
     * @param placed what of the results goes to Write chunks
     * @param stream the reply message without its bulk results
     * @param items its bulk results
     * @param mayBeInline whether the message may follow the header
     * @param threshold the longest Send that carries a reply
     * @return empty if there is no room for the reply: ERR_CHUNK is owed
     */
    public static Optional<ReplyPlan> of(
            ChunkLists offered,
            Placed placed,
            MemorySegment stream,
            List<BulkItem> items,
            boolean mayBeInline,
            int threshold) {
        // Only what is left may need the Reply chunk (RFC 8166-3.5.3-5).
        var pieces = PayloadPieces.of(stream, items, placed.reduced);
        var inline =
                mayBeInline
                        ? inline(offered, placed.writeList, pieces, placed.writes, threshold)
                        : Optional.<ReplyPlan>empty();
        return inline.isPresent()
                ? inline
                : inReplyChunk(offered, placed.writeList, pieces, placed.writes, threshold);
    }

    private static Optional<ReplyPlan> inline(
            ChunkLists offered,
            List<WriteChunk> writeList,
            PayloadPieces pieces,
            List<ChunkWrite> writes,
            int threshold) {
        var returned =
                new ChunkLists(List.of(), writeList, offered.replyChunk().map(WriteChunk::unused));
        // Short if it fits, although a Reply chunk was offered (RFC 8166-4.3.3-2, 8166-3.3.2-1).
        if (Version1HeaderCodec.encodedLength(returned) + pieces.length() > threshold) {
            return Optional.empty();
        }
        return Optional.of(new ReplyPlan(false, returned, writes, pieces.pieces()));
    }

    private static Optional<ReplyPlan> inReplyChunk(
            ChunkLists offered,
            List<WriteChunk> writeList,
            PayloadPieces pieces,
            List<ChunkWrite> writes,
            int threshold) {
        // Before anything is written (RPR-3.1-1).
        if (offered.replyChunk().isEmpty() || offered.replyChunk().get().size() < pieces.length()) {
            return Optional.empty();
        }
        var filled = offered.replyChunk().get().filled(pieces.length());
        // A reply has no Read list (RFC 8166-4.3.1-2), and returns the Reply chunk (RFC
        // 8166-4.3.3-3).
        var returned = new ChunkLists(List.of(), writeList, Optional.of(filled));
        if (Version1HeaderCodec.encodedLength(returned) > threshold) {
            return Optional.empty();
        }
        write(filled, pieces, writes);
        return Optional.of(new ReplyPlan(true, returned, writes, List.of()));
    }

    /**
     * Says which results of a call have no room in what its requester offered: the sizes that do
     * not fit.
     *
     * @param offered by the call
     * @param items the bulk results
     * @param eligible which of them may be placed
     * @param stream bytes of the reply message without them
     * @param threshold the longest Send that carries a reply
     */
    static String shortage(
            ChunkLists offered,
            List<BulkItem> items,
            Eligibility eligible,
            long stream,
            int threshold) {
        var chunks = offered.writeList();
        long rest = stream;
        for (int i = 0; i < items.size(); i++) {
            var item = items.get(i);
            long length = item.data().byteSize();
            int chunk = eligible.pairing().chunk(i, item.ordinal());
            boolean offers = chunk < Math.min(eligible.results(), chunks.size());
            long room = offers ? chunks.get(chunk).size() : 0;
            if (room == 0) {
                rest += item.paddedLength();
            } else if (length > room) {
                return "bulk result "
                        + (i + 1)
                        + " has "
                        + length
                        + " bytes, and the Write chunk of the caller "
                        + room;
            }
        }
        return "the reply has "
                + rest
                + " bytes beside what is placed, which does not fit a Send of "
                + threshold
                + " bytes, and the Reply chunk of the caller has "
                + offered.replyChunk().map(WriteChunk::size).orElse(0L);
    }

    /** Its header by RFC 8166. */
    public Version1Header header(int xid, int granted) {
        return Version1Header.of(inReplyChunk, xid, granted, returned);
    }

    /**
     * Adds the RDMA Writes that fill a chunk.
     *
     * @param filled the chunk as it goes back
     */
    public static void write(WriteChunk filled, PayloadPieces data, List<ChunkWrite> writes) {
        long from = 0;
        for (var segment : filled.segments()) {
            if (segment.size() > 0) {
                writes.add(new ChunkWrite(data.range(from, segment.size()), segment));
                from += segment.size();
            }
        }
    }
}
