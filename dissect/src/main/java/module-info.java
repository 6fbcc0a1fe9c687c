/** Takes captured traffic apart, layer by layer, and writes traffic down so that others can. */
module io.github.rpcrdma4j.dissect {
    requires transitive io.github.rpcrdma4j.capture;
    requires transitive io.github.rpcrdma4j.iwarp;
    requires transitive io.github.rpcrdma4j.rpcrdma.v2;
    requires transitive io.github.rpcrdma4j.rpcrdma.rfc5666;
    requires transitive io.github.rpcrdma4j.nfs;

    exports io.github.rpcrdma4j.dissect;
    exports io.github.rpcrdma4j.dissect.draft07;
    exports io.github.rpcrdma4j.dissect.trace;
}
