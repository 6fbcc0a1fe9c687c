package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a call moves apart and offers.
 *
 * @param readList in any order
 * @param writes a Write chunk each
 * @param reply the Reply chunk
 */
record Offer(
        List<ReadSegment> readList, List<OfferedMemory> writes, Optional<OfferedMemory> reply) {
    static final Offer NOTHING = new Offer(List.of(), List.of(), Optional.empty());

    Offer {
        readList = List.copyOf(readList);
        writes = List.copyOf(writes);
    }

    /** This offer with more entries of the Read list, behind those that are there. */
    Offer read(List<ReadSegment> entries) {
        var more = new ArrayList<>(readList);
        more.addAll(entries);
        return new Offer(more, writes, reply);
    }

    /** This offer with one more Write chunk. */
    Offer write(OfferedMemory memory) {
        var more = new ArrayList<>(writes);
        more.add(memory);
        return new Offer(readList, more, reply);
    }

    /** This offer with a Reply chunk. */
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
     * What a responder makes of the lists. Linux looks for entries of position zero only among as
     * many entries from the start as there are of them, and for the others likewise
     * (svc_rdma_pcl.c), so it never sees all of a Read list that has both.
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
