package io.github.rpcrdma4j.oncrpc.record;

import io.github.rpcrdma4j.memory.SegmentPool;
import java.lang.foreign.MemorySegment;

/**
 * A complete record. The code that got it from the decoder owns it, and closes it once.
 *
 * @param memory the memory that holds the message
 * @param message a view of the message, valid until the record is closed
 */
public record ReceivedRecord(SegmentPool.Lease memory, MemorySegment message)
        implements AutoCloseable {
    @Override
    public void close() {
        memory.close();
    }
}
