/** Takes captured traffic apart, layer by layer, and writes traffic down so that others can. */
// The modules that may use them are built after it.
@SuppressWarnings("module")
module io.github.rpcrdma4j.dissect {
    requires transitive io.github.rpcrdma4j.capture;
    requires transitive io.github.rpcrdma4j.iwarp;
    requires transitive io.github.rpcrdma4j.rpcrdma.v2;
    requires transitive io.github.rpcrdma4j.rpcrdma.rfc5666;
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.dissect to
            io.github.rpcrdma4j.cli,
            io.github.rpcrdma4j.interop;
    exports io.github.rpcrdma4j.dissect.trace;
}
