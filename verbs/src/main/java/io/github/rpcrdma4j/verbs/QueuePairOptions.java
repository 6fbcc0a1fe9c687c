package io.github.rpcrdma4j.verbs;

/**
 * The parameters of a new queue pair.
 *
 * @param domain the domain whose regions its work may use
 * @param completionQueue the queue on which its work completes
 * @param sendQueueSize the most posted work requests that have not completed
 * @param receiveQueueSize the most posted receives that have not completed
 * @param inboundReads the most outstanding RDMA Reads of the peer (IRD): a power of two from 1 to
 *     128, or 0 for none
 * @param outboundReads the most outstanding RDMA Reads of this side (ORD), with the same values.
 *     The provider queues further ones, and never exceeds the limit of the peer
 * @param gatherMax the most elements that one Send or Write may gather
 */
public record QueuePairOptions(
        ProtectionDomain domain,
        CompletionQueue completionQueue,
        int sendQueueSize,
        int receiveQueueSize,
        int inboundReads,
        int outboundReads,
        int gatherMax) {
    /** The most outstanding RDMA Reads in one direction. */
    public static final int READS_MAX = 128;

    /** Checks that the sizes are in their ranges. */
    public QueuePairOptions {
        if (sendQueueSize < 1 || receiveQueueSize < 1 || gatherMax < 1) {
            throw new IllegalArgumentException("sizes must be positive");
        }
        requireReads(inboundReads, "inboundReads");
        requireReads(outboundReads, "outboundReads");
    }

    private static void requireReads(int reads, String name) {
        if (reads != 0 && (reads > READS_MAX || Integer.bitCount(reads) != 1 || reads < 0)) {
            throw new IllegalArgumentException(
                    name + " must be 0 or a power of two up to " + READS_MAX + ": " + reads);
        }
    }
}
