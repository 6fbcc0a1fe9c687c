package io.github.rpcrdma4j.rpcrdma.session;

/**
 * What a client has that wants memory where there is none.
 *
 * @param connections that it has
 * @param held what it holds already, in bytes
 * @param bytes that it wants
 */
record MemoryShortage(int connections, long held, long bytes) {
    /** The least part of the time: longer than a network takes to send again what it has lost. */
    private static final double LEAST = 0.6;

    /**
     * @param peerQuota of the client; null if it holds nothing
     */
    static MemoryShortage of(PeerQuota peerQuota, long bytes) {
        return peerQuota == null
                ? new MemoryShortage(0, 0, bytes)
                : new MemoryShortage(peerQuota.connections(), peerQuota.bytes(), bytes);
    }

    /** What it will hold with what it wants, in bytes. */
    long heldThen() {
        return held + bytes;
    }

    /**
     * How long nothing may have moved on a connection of another client before it is ended for this
     * one: less, the less this one will hold beside the other.
     *
     * @param others what the other client holds, in bytes
     * @param nanos what it is for one that holds as much
     */
    long patience(long others, long nanos) {
        double ratio = (double) heldThen() / Math.max(1, others);
        return (long) (nanos * Math.clamp(ratio, LEAST, 1));
    }
}
