/** An NFS version 3 server. */
module io.github.rpcrdma4j.nfs.server {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.nfs.server;
}
