/** Stores of directories for an NFS server. */
// The module in "exports ... to" is built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.directories {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs.store;

    exports io.github.rpcrdma4j.nfs.directories to
            io.github.rpcrdma4j.nfs.server;
}
