package io.github.rpcrdma4j.verbs;

/**
 * A handle from a peer that is not valid at this side. This side may never have sent it to the
 * peer, or may have invalidated it since. Only the user of the queue pair knows which.
 *
 * @param use the operation in which the peer used it
 * @param handle the handle that the peer sent
 */
public record UnknownHandle(Use use, int handle) {
    /** The operations in which a peer can use a handle. */
    public enum Use {
        /** An RDMA Read. */
        READ,
        /** An RDMA Write. */
        WRITE,
        /** A Send With Invalidate. */
        INVALIDATE
    }
}
