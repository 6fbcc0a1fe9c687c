package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The transmissions that together are an RPC message, as they came.
 *
 * @param initial what the first says about all of them (RTR-4.2-1)
 * @param parts in order
 */
public record Group(int xid, Direction direction, Operation.Initial initial, List<Part> parts) {
    /**
     * One transmission.
     *
     * @param whole from its first byte, in the receive buffer
     * @param headerLength bytes
     * @param payloadLength of the payload behind the header, in bytes; inside of the transmission
     */
    public record Part(MemorySegment whole, int headerLength, long payloadLength) {
        /** The payload; a view. */
        public MemorySegment payload() {
            return whole.asSlice(headerLength, payloadLength);
        }

        /** Where the payload ends in the transmission. */
        public long payloadEnd() {
            return headerLength + payloadLength;
        }
    }

    public Group {
        parts = List.copyOf(parts);
    }
}
