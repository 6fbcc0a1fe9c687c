/** A server of NFS versions 2, 3 and 4, NFSACL and MOUNT: as programs, and as a running host. */
// The module in "exports ... to" is built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.nfs.server {
    requires io.github.rpcrdma4j.linux;
    requires io.github.rpcrdma4j.nfs.directories;
    requires io.github.rpcrdma4j.nfs.state;
    requires transitive io.github.rpcrdma4j.nfs;
    requires transitive io.github.rpcrdma4j.nfs.store;
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.nfs.server;
    exports io.github.rpcrdma4j.nfs.server.admin;
    exports io.github.rpcrdma4j.nfs.server.audit;
    exports io.github.rpcrdma4j.nfs.server.export;
    exports io.github.rpcrdma4j.nfs.server.host;
    exports io.github.rpcrdma4j.nfs.server.metrics;
    exports io.github.rpcrdma4j.nfs.server.stable to
            io.github.rpcrdma4j.cli;
    exports io.github.rpcrdma4j.nfs.server.users;
}
