package io.github.rpcrdma4j.rpcrdma.v2.transmission;

/** The method by which a message with bulk items travels. */
public enum TransferMethod {
    /** In one Send, with all items. */
    INLINE,
    /** With the items in the receive buffers of the peer, in N Sends. */
    PLACED,
    /** With everything in the payload of M Sends. */
    CONTINUED,
    /** With the payload in one Send, and the items by explicit RDMA. */
    EXPLICIT,
    /** With everything by explicit RDMA (RTR-4.3-3, RTR-5.2-2). */
    LONG
}
