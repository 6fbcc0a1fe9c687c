/** RPC-over-RDMA: carries ONC RPC calls and replies over RDMA queue pairs. */
module io.github.rpcrdma4j.rpcrdma {
    requires transitive io.github.rpcrdma4j.oncrpc;
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.rpcrdma;
    exports io.github.rpcrdma4j.rpcrdma.binding;
    exports io.github.rpcrdma4j.rpcrdma.metrics;
    exports io.github.rpcrdma4j.rpcrdma.options;
    exports io.github.rpcrdma4j.rpcrdma.chunk;
    exports io.github.rpcrdma4j.rpcrdma.wire;
    exports io.github.rpcrdma4j.rpcrdma.wire.v2;
}
