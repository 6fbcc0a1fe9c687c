/** The files behind an NFS server: the interface of file stores, and stores of directories. */
// The module in "exports ... to" is built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.store {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.nfs.store;
    exports io.github.rpcrdma4j.nfs.store.directory to
            io.github.rpcrdma4j.nfs.server;
}
