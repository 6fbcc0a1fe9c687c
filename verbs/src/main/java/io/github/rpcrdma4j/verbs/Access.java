package io.github.rpcrdma4j.verbs;

/** The kinds of access that a {@link MemoryWindow} gives a peer. */
public enum Access {
    /** The peer may place bytes in the memory with RDMA Write. */
    REMOTE_WRITE,
    /** The peer may fetch bytes from the memory with RDMA Read. */
    REMOTE_READ
}
