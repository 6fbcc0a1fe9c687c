package io.github.rpcrdma4j.interop;

/**
 * The server that answers. Both servers keep to RFC 8166 in most cases. An expectation depends on
 * the peer where RFC 8166 leaves a choice, or where one server is stricter than it or breaks it.
 */
enum Peer {
    /** The server of the Linux kernel, as of 6.12. */
    LINUX,
    /** The server of this project. */
    OURS
}
