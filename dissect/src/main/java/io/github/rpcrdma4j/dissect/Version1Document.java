package io.github.rpcrdma4j.dissect;

/** The document by which messages of version 1 are checked. */
public enum Version1Document {
    /** The document that current implementations follow. */
    RFC_8166,
    /**
     * The older document. It also allows what RFC 8166 removed: RDMA_MSGP, Read lists in replies,
     * RDMA_DONE, and errors with any code. All other checks are equal.
     */
    RFC_5666
}
