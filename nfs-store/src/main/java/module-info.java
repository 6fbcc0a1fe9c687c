/** The files behind an NFS server: the interface of file stores. */
module io.github.rpcrdma4j.nfs.store {
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.nfs.store;
}
