/**
 * RPC-over-RDMA version 1, which carries ONC RPC calls and replies over RDMA queue pairs (RFC 8166,
 * 8167, 8797).
 *
 * <p>A program needs the root package, and sometimes the profiles and the metrics. The other
 * packages are for modules of this project, which implement other wire profiles or dissect
 * messages.
 */
// The modules of the qualified exports are compiled after this one.
@SuppressWarnings("module")
module io.github.rpcrdma4j.rpcrdma {
    requires jdk.jfr;
    requires transitive io.github.rpcrdma4j.oncrpc;
    requires transitive io.github.rpcrdma4j.verbs;

    exports io.github.rpcrdma4j.rpcrdma;
    exports io.github.rpcrdma4j.rpcrdma.metrics;
    exports io.github.rpcrdma4j.rpcrdma.profile;
    exports io.github.rpcrdma4j.rpcrdma.chunk to
            io.github.rpcrdma4j.dissect,
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.connection to
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.requester to
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.responder to
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.wire to
            io.github.rpcrdma4j.dissect,
            io.github.rpcrdma4j.interop,
            io.github.rpcrdma4j.rpcrdma.rfc5666,
            io.github.rpcrdma4j.rpcrdma.v2;

    uses io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
}
