package io.github.rpcrdma4j.rpcrdma.v2.wire;

import java.util.List;

/**
 * How the receive buffers of an endpoint are built (RTR-3.3-1).
 *
 * @param length of a buffer, in bytes
 * @param groups one behind the other (RTR-7.2-1)
 */
public record BufferStructure(long length, List<Group> groups) {
    public BufferStructure {
        groups = List.copyOf(groups);
    }

    /**
     * Equal segments, one behind the other.
     *
     * @param segmentLength bytes
     * @param alignment of the memory of each; 0 and 1 ask for none
     * @param flags of which only {@link #PLACEMENT} is known; the others are ignored (RTR-7.2-4)
     */
    public record Group(long count, long segmentLength, long alignment, int flags) {
        /** XMRSFLAG_DDP. */
        public static final int PLACEMENT = 1;

        /** Bytes on the wire. */
        public static final int BYTES = 4 * Integer.BYTES;

        /** Whether bulk data may be placed in these segments. */
        public boolean isForPlacement() {
            return (flags & PLACEMENT) != 0;
        }
    }
}
