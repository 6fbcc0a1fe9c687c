package io.github.rpcrdma4j.verbs;

/**
 * What a queue pair is made of.
 *
 * @param domain whose regions its work may name
 * @param completionQueue where its work completes
 * @param sendQueueSize the most work requests that may be posted and not completed
 * @param receiveQueueSize the most receives that may be posted and not completed
 * @param inboundReads how many RDMA Reads of the peer may be outstanding (IRD), a power of two from
 *     1 to 128, or 0 for none
 * @param outboundReads how many RDMA Reads of ours may be outstanding (ORD), likewise; more are
 *     queued by the provider, which never exceeds what the peer takes
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
    /** The most RDMA Reads in flight in one direction. */
    public static final int READS_MAX = 128;

    /** Checks the sizes. */
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
