package io.github.rpcrdma4j.verbs;

/**
 * A peer used a handle that names no region of this side. This side may never have given it, or may
 * have invalidated it since: only its user can tell.
 *
 * @param use what the peer wanted with it
 * @param handle as the peer sent it
 */
public record UnknownHandle(Use use, int handle) {
    /** What a peer can do with a handle. */
    public enum Use {
        /** An RDMA Read. */
        READ,
        /** An RDMA Write. */
        WRITE,
        /** A Send With Invalidate. */
        INVALIDATE
    }
}
