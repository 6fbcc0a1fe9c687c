/** XDR over memory segments, with support for data items that travel apart from the stream. */
module io.github.rpcrdma4j.xdr {
    requires transitive io.github.rpcrdma4j.memory;

    exports io.github.rpcrdma4j.xdr;
}
