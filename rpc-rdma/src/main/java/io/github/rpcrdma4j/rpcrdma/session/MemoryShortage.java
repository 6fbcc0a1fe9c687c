package io.github.rpcrdma4j.rpcrdma.session;

/**
 * A client's unfilled request for memory, and what the client holds already.
 *
 * @param connections the connections of the client
 * @param held the memory that the client holds already, in bytes
 * @param bytes the memory that the client requests, in bytes
 */
record MemoryShortage(int connections, long held, long bytes) {
    /** The least fraction of the time. It is still longer than a network needs to retransmit. */
    private static final double LEAST = 0.6;

    /** A client with no more memory than this many connections use may displace any idle ones. */
    private static final int FEW_CONNECTIONS = 4;

    /**
     * Returns the shortage of a client.
     *
     * @param peerQuota the quota of the client; null if it holds nothing
     * @param bytes the memory that the client requests, in bytes
     */
    static MemoryShortage of(PeerQuota peerQuota, long bytes) {
        return peerQuota == null
                ? new MemoryShortage(0, 0, bytes)
                : new MemoryShortage(peerQuota.connections(), peerQuota.bytes(), bytes);
    }

    /** Returns the memory of the client including the request, in bytes. */
    long heldThen() {
        return held + bytes;
    }

    /**
     * Returns whether the client holds so little that idle connections of any client make room.
     *
     * @param equalPart what each client would hold of the memory now held, in bytes
     * @param ofConnection what one connection holds for its receives, in bytes
     */
    boolean isModest(long equalPart, long ofConnection) {
        return held <= Math.max(equalPart, FEW_CONNECTIONS * ofConnection);
    }

    /**
     * Returns how long another client's connection must have stalled before it is closed for this
     * client. The time is shorter if this client will hold less than the other.
     *
     * @param others the memory of the other client, in bytes
     * @param nanos the time between clients that hold equal memory, in nanoseconds
     */
    long patience(long others, long nanos) {
        double ratio = (double) heldThen() / Math.max(1, others);
        return (long) (nanos * Math.clamp(ratio, LEAST, 1));
    }
}
