package io.github.rpcrdma4j.rpcrdma.wire;

/** The document that an endpoint keeps to where the two of version 1 differ. */
public enum Edition {
    /** What everybody speaks today. */
    RFC_8166,
    /**
     * What RFC 8166 took out is spoken too: RDMA_MSGP, Read lists of replies, RDMA_DONE, and errors
     * of any code. Nothing else is checked less.
     */
    RFC_5666
}
