/** Replies that their requesters fetch, as RFC 5666 and version 2 of RPC-over-RDMA have them. */
module io.github.rpcrdma4j.rpcrdma.fetched {
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.rpcrdma.fetched;
}
