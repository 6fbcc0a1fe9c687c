package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.PayloadStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a reply: its inline data and its writes to chunks (RFC 8166, Sections 3.5.3 and 4.3).
 * Pure arithmetic.
 *
 * @param inReplyChunk whether the message is written to the Reply chunk; otherwise it is inline
 * @param returned the chunk lists of the requester, with the lengths that are written
 * @param writes the RDMA Writes to post before the Send
 * @param inline the message after the header; empty if it is in the Reply chunk
 */
public record ReplyPlan(
        boolean inReplyChunk,
        ChunkLists returned,
        List<ChunkWrite> writes,
        List<MemorySegment> inline) {
    /**
     * The results that are placed in Write chunks.
     *
     * @param writeList the Write list to return
     * @param writes the RDMA Writes to post
     * @param reduced the indexes of the results that are not in the stream
     */
    public record Placed(List<WriteChunk> writeList, List<ChunkWrite> writes, BitSet reduced) {}

    /**
     * Places results in Write chunks.
     *
     * @param eligible the results that may be reduced
     * @return empty if one of them is longer than its chunk
     */
    public static Optional<Placed> place(
            ChunkLists offered, List<BulkItem> items, Eligibility eligible) {
        var writes = new ArrayList<ChunkWrite>();
        var reduced = new BitSet();
        var writeList = new ArrayList<WriteChunk>(offered.writeList().size());
        int next = 0;
        for (int i = 0; i < offered.writeList().size(); i++) {
            // The binding pairs results with chunks (RFC 8166-4.3.2.1-1, 8166-4.3.2.2-1), and a
            // result with a chunk is placed there (RFC 8166-4.3.2-2, 5666-3.6-1, 8267-6.4.1-3).
            // Results beyond the last chunk stay inline (RFC 8267-6.4.1-6).
            var chunk = offered.writeList().get(i);
            boolean hasItem =
                    next < items.size()
                            && i < eligible.results()
                            && eligible.pairing().chunk(next, items.get(next).ordinal()) == i;
            int item = hasItem ? next++ : -1;
            long length = hasItem ? items.get(item).data().byteSize() : 0;
            if (length == 0 || chunk.size() == 0) {
                // Either there is nothing to place (RFC 8166-4.3.2.2-3, 5666-3.4-13,
                // 8267-6.4.1-5), or the chunk is empty because the requester wants the result
                // inline (RFC 8166-4.3.2.3-2, 5667-5-1, 8267-6.4.1-4).
                writeList.add(chunk.unused());
                continue;
            }
            // The check comes before any RDMA Write (RFC 8267-3.1-5, 5667-3-1).
            if (chunk.size() < length) {
                return Optional.empty();
            }
            var filled = chunk.filled(length);
            // The chunk gets the item without padding (RFC 8166-3.4.6.2-2).
            var data = PayloadStream.of(items.get(item).data());
            write(filled, data, writes);
            writeList.add(filled);
            // RFC 5667-3-2.
            reduced.set(item);
        }
        return Optional.of(new Placed(writeList, writes, reduced));
    }

    /**
     * Plans a reply.
     *
     * @param offered the chunk lists that the call offered
     * @param placed the results that are placed in Write chunks
     * @param stream the reply message without its bulk results
     * @param items the bulk results
     * @param mayBeInline whether the message may follow the header
     * @param threshold the longest Send that carries a reply, in bytes
     * @return empty if the reply has no room; the answer is then ERR_CHUNK
     */
    public static Optional<ReplyPlan> of(
            ChunkLists offered,
            Placed placed,
            MemorySegment stream,
            List<BulkItem> items,
            boolean mayBeInline,
            int threshold) {
        // Only the data that is not in Write chunks may need the Reply chunk (RFC 8166-3.5.3-5).
        var payload = PayloadStream.of(stream, items, placed.reduced);
        var inline =
                mayBeInline
                        ? inline(offered, placed.writeList, payload, placed.writes, threshold)
                        : Optional.<ReplyPlan>empty();
        return inline.isPresent()
                ? inline
                : inReplyChunk(offered, placed.writeList, payload, placed.writes, threshold);
    }

    private static Optional<ReplyPlan> inline(
            ChunkLists offered,
            List<WriteChunk> writeList,
            PayloadStream payload,
            List<ChunkWrite> writes,
            int threshold) {
        var returned =
                new ChunkLists(List.of(), writeList, offered.replyChunk().map(WriteChunk::unused));
        // A reply that fits is short, even if a Reply chunk was offered (RFC 8166-4.3.3-2,
        // 8166-3.3.2-1).
        if (Version1HeaderCodec.encodedLength(returned) + payload.length() > threshold) {
            return Optional.empty();
        }
        return Optional.of(new ReplyPlan(false, returned, writes, payload.segments()));
    }

    private static Optional<ReplyPlan> inReplyChunk(
            ChunkLists offered,
            List<WriteChunk> writeList,
            PayloadStream payload,
            List<ChunkWrite> writes,
            int threshold) {
        // The check comes before any RDMA Write (RPR-3.1-1).
        if (offered.replyChunk().isEmpty()
                || offered.replyChunk().get().size() < payload.length()) {
            return Optional.empty();
        }
        var filled = offered.replyChunk().get().filled(payload.length());
        // A reply has no Read list (RFC 8166-4.3.1-2), and returns the Reply chunk (RFC
        // 8166-4.3.3-3).
        var returned = new ChunkLists(List.of(), writeList, Optional.of(filled));
        if (Version1HeaderCodec.encodedLength(returned) > threshold) {
            return Optional.empty();
        }
        write(filled, payload, writes);
        return Optional.of(new ReplyPlan(true, returned, writes, List.of()));
    }

    /**
     * Returns a message about the results that exceed the offered room, with both sizes.
     *
     * @param offered the chunk lists that the call offered
     * @param items the bulk results
     * @param eligible the results that may be placed
     * @param stream the bytes of the reply message without the bulk results
     * @param threshold the longest Send that carries a reply, in bytes
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
                        + " bytes, more than the "
                        + room
                        + " bytes of its Write chunk";
            }
        }
        return "the reply has "
                + rest
                + " bytes besides the data in Write chunks; the inline threshold is "
                + threshold
                + " bytes and the Reply chunk "
                + offered.replyChunk().map(WriteChunk::size).orElse(0L)
                + " bytes";
    }

    /** Returns the header of the reply by RFC 8166. */
    public Version1Header header(int xid, int granted) {
        return Version1Header.of(inReplyChunk, xid, granted, returned);
    }

    /**
     * Adds the RDMA Writes that fill a chunk.
     *
     * @param filled the chunk with the lengths to write
     */
    public static void write(WriteChunk filled, PayloadStream data, List<ChunkWrite> writes) {
        long from = 0;
        for (var segment : filled.segments()) {
            if (segment.size() > 0) {
                writes.add(new ChunkWrite(data.range(from, segment.size()), segment));
                from += segment.size();
            }
        }
    }
}
