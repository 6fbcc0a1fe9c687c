package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * A transmission of a connection (RTR-6.1-1).
 *
 * @param number within its group; the first has 0
 */
public record TransmissionId(int xid, Direction direction, long number) {
    /** Bytes on the wire. */
    public static final int BYTES = 3 * Integer.BYTES;
}
