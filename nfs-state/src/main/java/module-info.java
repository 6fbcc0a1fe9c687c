/** What NFS version 4 and NLM keep of their clients: sessions, opens, locks and leases. */
// The module in "exports ... to" is built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.state {
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.nfs.state to
            io.github.rpcrdma4j.nfs.server;
    exports io.github.rpcrdma4j.nfs.state.event to
            io.github.rpcrdma4j.nfs.server;
    exports io.github.rpcrdma4j.nfs.state.limit to
            io.github.rpcrdma4j.nfs.server;
    exports io.github.rpcrdma4j.nfs.state.range to
            io.github.rpcrdma4j.nfs.server;
    exports io.github.rpcrdma4j.nfs.state.table to
            io.github.rpcrdma4j.nfs.server;
}
