package io.github.rpcrdma4j.verbs;

/** What may be done with a memory region. */
public enum Access {
    /** This side's own RDMA Reads may place octets there. */
    LOCAL_WRITE,
    /** The peer may place octets there with RDMA Write. */
    REMOTE_WRITE,
    /** The peer may fetch octets from there with RDMA Read. */
    REMOTE_READ
}
