package io.github.rpcrdma4j.rpcrdma.transmission;

/**
 * How a response travels, by what its request offered (RPR-5.3.2-1).
 *
 * <pre>
 *   fits one Send                       INLINE
 *   fits the Sends that are allowed     CONTINUED
 *   fits the Reply chunk                REPLY_CHUNK
 *   both know responder-provided ones   READ_CHUNK
 *   else                                IMPOSSIBLE: an error for good
 * </pre>
 */
public enum ResponseForm {
    INLINE,
    CONTINUED,
    REPLY_CHUNK,
    /** RPR-4.1.1-1. */
    READ_CHUNK,
    /** RPR-4.1.1-2, RPR-6-2. */
    IMPOSSIBLE;

    /**
     * What a request offered.
     *
     * @param transmissionsMax the least of what an XMTREQ allowed and of our own limit; 1 for a
     *     request that came otherwise (RTR-5.2-3, RTR-8.5-1)
     * @param replyChunkOctets -1 if there is none
     * @param canFetch whether both know responder-provided Read chunks (RPR-6-1, RPR-X-1)
     */
    public record Offered(int transmissionsMax, long replyChunkOctets, boolean canFetch) {}

    /**
     * Chooses; of what was offered all, some or nothing is used (RTR-4.3-6).
     *
     * @param octets of the payload stream
     * @param transmissions that it would take, by the receive size of the requester (XCH-3.1-3)
     */
    public static ResponseForm of(long octets, int transmissions, Offered offered) {
        if (transmissions == 1) {
            return INLINE;
        }
        if (transmissions <= offered.transmissionsMax()) {
            return CONTINUED;
        }
        // RPR-3.1-1: held against the chunk before anything is written.
        if (octets <= offered.replyChunkOctets()) {
            return REPLY_CHUNK;
        }
        return offered.canFetch() ? READ_CHUNK : IMPOSSIBLE;
    }
}
