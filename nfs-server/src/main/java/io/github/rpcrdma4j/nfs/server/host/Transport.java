package io.github.rpcrdma4j.nfs.server.host;

/** What a host listens with for calls of NFS. */
public enum Transport {
    /** RPC-over-RDMA. */
    RDMA,
    /** RPC over TCP. */
    TCP
}
