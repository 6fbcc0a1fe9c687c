package io.github.rpcrdma4j.dissect;

/** The document by which messages of version 1 are judged, where there are two. */
public enum Version1Document {
    /** What implementations speak today. */
    RFC_8166,
    /**
     * What RFC 8166 took out is known too: RDMA_MSGP, Read lists of replies, RDMA_DONE, and errors
     * of any code. Nothing else is checked less.
     */
    RFC_5666
}
