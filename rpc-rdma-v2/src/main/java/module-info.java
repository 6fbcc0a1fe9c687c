/** Version 2 of RPC-over-RDMA and its extensions: a profile, and its headers. */
@SuppressWarnings("module") // The digit is the version; users of the headers are built later.
module io.github.rpcrdma4j.rpcrdma.v2 {
    requires transitive io.github.rpcrdma4j.rpcrdma.rfc5666;

    exports io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.v2.options;
    exports io.github.rpcrdma4j.rpcrdma.v2.wire to
            io.github.rpcrdma4j.dissect,
            io.github.rpcrdma4j.interop;

    provides io.github.rpcrdma4j.rpcrdma.profile.WireProfile with
            io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
}
