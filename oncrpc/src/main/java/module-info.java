/** ONC RPC messages, programs and clients, independent of the transport. */
// The modules in "exports ... to" are built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.oncrpc {
    requires transitive io.github.rpcrdma4j.xdr;
    requires java.security.jgss;
    requires jdk.jfr;
    requires jdk.security.auth;

    exports io.github.rpcrdma4j.oncrpc;
    exports io.github.rpcrdma4j.oncrpc.gss;
    exports io.github.rpcrdma4j.oncrpc.gss.krb5;
    exports io.github.rpcrdma4j.oncrpc.rpcbind;
    exports io.github.rpcrdma4j.oncrpc.share to
            io.github.rpcrdma4j.nfs.directories,
            io.github.rpcrdma4j.nfs.server,
            io.github.rpcrdma4j.nfs.state;
    exports io.github.rpcrdma4j.oncrpc.spi;
    exports io.github.rpcrdma4j.oncrpc.tcp;
    exports io.github.rpcrdma4j.oncrpc.udp;
}
