package io.github.rpcrdma4j.rpcrdma.v2.transmission;

import java.lang.foreign.MemorySegment;

/**
 * One transmission of a {@link Group}.
 *
 * @param whole all bytes of it, in the receive buffer
 * @param headerLength the length of its header, in bytes
 * @param payloadLength the length of the payload after the header, in bytes; within the
 *     transmission
 */
public record GroupSend(MemorySegment whole, int headerLength, long payloadLength) {
    /** Returns the payload; a view. */
    public MemorySegment payload() {
        return whole.asSlice(headerLength, payloadLength);
    }

    /** Returns where the payload ends in the transmission. */
    public long payloadEnd() {
        return headerLength + payloadLength;
    }
}
