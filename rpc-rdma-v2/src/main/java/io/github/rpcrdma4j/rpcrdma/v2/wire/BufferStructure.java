package io.github.rpcrdma4j.rpcrdma.v2.wire;

import java.util.List;

/**
 * The structure of the receive buffers of an endpoint (RTR-3.3-1).
 *
 * @param length the length of a buffer, in bytes
 * @param groups groups of segments, one after the other (RTR-7.2-1)
 */
public record BufferStructure(long length, List<Group> groups) {
    public BufferStructure {
        groups = List.copyOf(groups);
    }

    /**
     * Equal segments, one after the other.
     *
     * @param count the number of segments
     * @param segmentLength the length of each, in bytes
     * @param alignment the alignment of the memory of each; 0 and 1: none
     * @param flags only {@link #PLACEMENT} is known; the others are ignored (RTR-7.2-4)
     */
    public record Group(long count, long segmentLength, long alignment, int flags) {
        /** The segments accept bulk data (XMRSFLAG_DDP). */
        public static final int PLACEMENT = 1;

        /** The length on the wire, in bytes. */
        public static final int BYTES = 4 * Integer.BYTES;

        /** Returns whether bulk data may be placed in these segments. */
        public boolean isForPlacement() {
            return (flags & PLACEMENT) != 0;
        }
    }
}
