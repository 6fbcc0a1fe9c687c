/** A blocking NFS client. */
// The modules that the exports below name are built after this module.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.client {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs;
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.nfs.client;
    exports io.github.rpcrdma4j.nfs.client.copy;
    exports io.github.rpcrdma4j.nfs.client.service;
    exports io.github.rpcrdma4j.nfs.client.file to
            io.github.rpcrdma4j.nfs.nio;
    exports io.github.rpcrdma4j.nfs.client.local to
            io.github.rpcrdma4j.cli;
    exports io.github.rpcrdma4j.nfs.client.v3 to
            io.github.rpcrdma4j.interop;
}
