/** Replies that requesters fetch, as RFC 5666 and version 2 of RPC-over-RDMA define them. */
// The modules named in the qualified export are built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.rpcrdma.fetched {
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.rpcrdma.fetched.options;
    exports io.github.rpcrdma4j.rpcrdma.fetched to
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;
}
