package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.util.List;

/** Says which results of a call have no room in what its requester offered. Pure. */
final class NoRoom {
    private NoRoom() {}

    /**
     * The sizes that do not fit.
     *
     * @param offered by the call
     * @param items the bulk results
     * @param eligible how many of them may be placed
     * @param stream octets of the reply message without them
     * @param threshold the longest Send that carries a reply
     */
    static String words(
            ChunkLists offered, List<BulkItem> items, int eligible, long stream, int threshold) {
        long rest = stream;
        for (int i = 0; i < items.size(); i++) {
            var item = items.get(i);
            long length = item.data().byteSize();
            long room = i < eligible ? room(offered.writeList(), i) : 0;
            if (room == 0) {
                rest += item.paddedLength();
            } else if (length > room) {
                return "bulk result "
                        + (i + 1)
                        + " has "
                        + length
                        + " octets, and the Write chunk of the caller "
                        + room;
            }
        }
        return "the reply has "
                + rest
                + " octets beside what is placed, which does not fit a Send of "
                + threshold
                + " octets, and the Reply chunk of the caller has "
                + offered.replyChunk().map(WriteChunk::size).orElse(0L);
    }

    private static long room(List<WriteChunk> writeList, int index) {
        return index < writeList.size() ? writeList.get(index).size() : 0;
    }
}
