/**
 * RPC-over-RDMA version 1: carries ONC RPC calls and replies over RDMA queue pairs (RFC 8166, 8167,
 * 8797).
 *
 * <p>Users need the first four packages; the others are for those who add a way to speak on the
 * wire.
 */
module io.github.rpcrdma4j.rpcrdma {
    requires transitive io.github.rpcrdma4j.oncrpc;
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.rpcrdma;
    exports io.github.rpcrdma4j.rpcrdma.binding;
    exports io.github.rpcrdma4j.rpcrdma.metrics;
    exports io.github.rpcrdma4j.rpcrdma.options;
    exports io.github.rpcrdma4j.rpcrdma.chunk;
    exports io.github.rpcrdma4j.rpcrdma.connection;
    exports io.github.rpcrdma4j.rpcrdma.profile;
    exports io.github.rpcrdma4j.rpcrdma.requester;
    exports io.github.rpcrdma4j.rpcrdma.responder;
    exports io.github.rpcrdma4j.rpcrdma.wire;
}
