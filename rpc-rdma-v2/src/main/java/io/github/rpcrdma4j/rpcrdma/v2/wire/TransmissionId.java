package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * The identification of a transmission on a connection (RTR-6.1-1).
 *
 * @param number its number in the group; the first has 0
 */
public record TransmissionId(int xid, Direction direction, long number) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 3 * Integer.BYTES;
}
