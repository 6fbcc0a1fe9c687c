/**
 * A profile, with its headers, for what RFC 8166 removed from RFC 5666: replies that are fetched.
 */
@SuppressWarnings("module") // The digits are the number of an RFC; version 2 is built later.
module io.github.rpcrdma4j.rpcrdma.rfc5666 {
    requires transitive io.github.rpcrdma4j.rpcrdma;

    exports io.github.rpcrdma4j.rpcrdma.rfc5666;
    exports io.github.rpcrdma4j.rpcrdma.rfc5666.options;
    exports io.github.rpcrdma4j.rpcrdma.rfc5666.fetched to
            io.github.rpcrdma4j.rpcrdma.v2;
    exports io.github.rpcrdma4j.rpcrdma.rfc5666.wire to
            io.github.rpcrdma4j.dissect;

    provides io.github.rpcrdma4j.rpcrdma.profile.WireProfile with
            io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
}
