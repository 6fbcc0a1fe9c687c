package io.github.rpcrdma4j.oncrpc.record;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;

/**
 * A whole record. Owned by the code that took it from the decoder, until it is closed, once.
 *
 * @param memory where the message lies
 * @param message the message; a view that ends when the record is closed
 */
public record ReceivedRecord(SegmentPool.Lease memory, MemorySegment message)
        implements AutoCloseable {
    @Override
    public void close() {
        memory.close();
    }
}
