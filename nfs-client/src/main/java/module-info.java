/** A blocking NFS version 3 client. */
// The cli module, which the export below names, is built after this module.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.client {
    requires io.github.rpcrdma4j.linux;
    requires transitive io.github.rpcrdma4j.nfs;
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.nfs.client;
    exports io.github.rpcrdma4j.nfs.client.local to
            io.github.rpcrdma4j.cli;
}
