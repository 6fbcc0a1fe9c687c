/**
 * Soft-iWARP: RDMA in pure Java over TCP.
 *
 * <p>A program needs {@code tcp} alone. The other packages are for this project's modules that
 * dissect captures.
 */
// The modules in "exports ... to" are built after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.iwarp {
    requires jdk.net;
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.iwarp.tcp;
    exports io.github.rpcrdma4j.iwarp.ddp to
            io.github.rpcrdma4j.dissect;
    exports io.github.rpcrdma4j.iwarp.mpa to
            io.github.rpcrdma4j.dissect,
            io.github.rpcrdma4j.interop;
    exports io.github.rpcrdma4j.iwarp.observe to
            io.github.rpcrdma4j.dissect,
            io.github.rpcrdma4j.interop;
    exports io.github.rpcrdma4j.iwarp.rdmap to
            io.github.rpcrdma4j.dissect;

    provides io.github.rpcrdma4j.verbs.RdmaProvider with
            io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
}
