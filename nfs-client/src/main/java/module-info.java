/** A blocking NFS version 3 client. */
module io.github.rpcrdma4j.nfs.client {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.nfs.client;
}
