package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The transmissions that together are an RPC message, as received.
 *
 * @param initial the operation of the first transmission, which describes all of them (RTR-4.2-1)
 * @param parts the transmissions, in order
 */
public record Group(int xid, Direction direction, Operation.Initial initial, List<Part> parts) {
    /**
     * One transmission.
     *
     * @param whole all bytes of it, in the receive buffer
     * @param headerLength the length of its header, in bytes
     * @param payloadLength the length of the payload after the header, in bytes; within the
     *     transmission
     */
    public record Part(MemorySegment whole, int headerLength, long payloadLength) {
        /** Returns the payload; a view. */
        public MemorySegment payload() {
            return whole.asSlice(headerLength, payloadLength);
        }

        /** Returns where the payload ends in the transmission. */
        public long payloadEnd() {
            return headerLength + payloadLength;
        }
    }

    public Group {
        parts = List.copyOf(parts);
    }
}
