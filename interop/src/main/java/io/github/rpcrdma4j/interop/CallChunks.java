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
record CallChunks(
        List<ReadSegment> readList, List<OfferedMemory> writes, Optional<OfferedMemory> reply) {
    static final CallChunks NONE = new CallChunks(List.of(), List.of(), Optional.empty());

    CallChunks {
        readList = List.copyOf(readList);
        writes = List.copyOf(writes);
    }

    /** Returns these chunks with more entries at the end of the Read list. */
    CallChunks read(List<ReadSegment> entries) {
        var more = new ArrayList<>(readList);
        more.addAll(entries);
        return new CallChunks(more, writes, reply);
    }

    /** Returns these chunks with one more Write chunk. */
    CallChunks write(OfferedMemory memory) {
        var more = new ArrayList<>(writes);
        more.add(memory);
        return new CallChunks(readList, more, reply);
    }

    /** Returns these chunks with a Reply chunk. */
    CallChunks reply(OfferedMemory memory) {
        return new CallChunks(readList, writes, Optional.of(memory));
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
                yield new CallChunks(seen, writes, reply).lists();
            }
        };
    }
}
