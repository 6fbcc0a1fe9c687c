/** Soft-iWARP: RDMA in pure Java over TCP. */
module io.github.rpcrdma4j.iwarp {
    requires jdk.net;
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.iwarp.ddp;
    exports io.github.rpcrdma4j.iwarp.mpa;
    exports io.github.rpcrdma4j.iwarp.observe;
    exports io.github.rpcrdma4j.iwarp.rdmap;
    exports io.github.rpcrdma4j.iwarp.tcp;

    provides io.github.rpcrdma4j.verbs.RdmaProvider with
            io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
}
