/** ONC RPC messages, programs and clients, whatever the transport. */
module io.github.rpcrdma4j.oncrpc {
    requires transitive io.github.rpcrdma4j.xdr;

    exports io.github.rpcrdma4j.oncrpc;
    exports io.github.rpcrdma4j.oncrpc.rpcbind;
    exports io.github.rpcrdma4j.oncrpc.tcp;
}
