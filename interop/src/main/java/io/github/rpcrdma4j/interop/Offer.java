package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The chunks of one call.
 *
 * @param readList entries of the Read list, in any order
 * @param writes memory of the Write chunks, one each
 * @param reply memory of the Reply chunk
 */
record Offer(
        List<ReadSegment> readList, List<OfferedMemory> writes, Optional<OfferedMemory> reply) {
    static final Offer NOTHING = new Offer(List.of(), List.of(), Optional.empty());

    Offer {
        readList = List.copyOf(readList);
        writes = List.copyOf(writes);
    }

    /** Returns this offer with more entries at the end of its Read list. */
    Offer read(List<ReadSegment> entries) {
        var more = new ArrayList<>(readList);
        more.addAll(entries);
        return new Offer(more, writes, reply);
    }

    /** Returns this offer with one more Write chunk. */
    Offer write(OfferedMemory memory) {
        var more = new ArrayList<>(writes);
        more.add(memory);
        return new Offer(readList, more, reply);
    }

    /** Returns this offer with a Reply chunk. */
    Offer reply(OfferedMemory memory) {
        return new Offer(readList, writes, Optional.of(memory));
    }

    ChunkLists lists() {
        return new ChunkLists(
                readList,
                writes.stream().map(OfferedMemory::chunk).toList(),
                reply.map(OfferedMemory::chunk));
    }

    /**
     * Returns the chunk lists as a responder understands them. Linux misses entries if a Read list
     * has both entries of position zero and others (svc_rdma_pcl.c): with n entries of a kind, it
     * finds only those of them among the first n entries of the list.
     */
    ChunkLists seenBy(Peer peer) {
        return switch (peer) {
            case OURS -> lists();
            case LINUX -> {
                long zeros = readList.stream().filter(entry -> entry.position() == 0).count();
                var seen = new ArrayList<ReadSegment>();
                for (int i = 0; i < readList.size(); i++) {
                    var entry = readList.get(i);
                    if (i < (entry.position() == 0 ? zeros : readList.size() - zeros)) {
                        seen.add(entry);
                    }
                }
                yield new Offer(seen, writes, reply).lists();
            }
        };
    }
}
