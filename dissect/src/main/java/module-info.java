/** Dissects captured traffic layer by layer, and records live traffic as captures. */
// The modules in "exports ... to" are built after this one.
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
