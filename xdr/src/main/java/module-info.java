/** XDR over memory segments, aware of data items that travel apart from the stream. */
module io.github.rpcrdma4j.xdr {
    exports io.github.rpcrdma4j.xdr;
}
