package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Data that goes to a segment of the peer by RDMA Write.
 *
 * @param data where it lies, piece by piece; as long as the segment, or shorter
 * @param target memory of the peer
 */
public record ChunkWrite(List<MemorySegment> data, Segment target) {}
