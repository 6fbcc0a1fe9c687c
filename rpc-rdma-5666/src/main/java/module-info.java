/** What RFC 8166 took out of RPC-over-RDMA version 1 (RFC 5666): a profile, and its headers. */
@SuppressWarnings("module") // The digits name a document.
module io.github.rpcrdma4j.rpcrdma.rfc5666 {
    requires transitive io.github.rpcrdma4j.rpcrdma.fetched;

    exports io.github.rpcrdma4j.rpcrdma.rfc5666;
    exports io.github.rpcrdma4j.rpcrdma.rfc5666.wire to
            io.github.rpcrdma4j.dissect;

    provides io.github.rpcrdma4j.rpcrdma.profile.WireProfile with
            io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
}
