package io.github.rpcrdma4j.verbs;

/** What a peer may do with memory that is opened to it by a {@link MemoryWindow}. */
public enum Access {
    /** The peer may place bytes there with RDMA Write. */
    REMOTE_WRITE,
    /** The peer may fetch bytes from there with RDMA Read. */
    REMOTE_READ
}
