package io.github.rpcrdma4j.interop;

/**
 * Whose server answers. Both keep RFC 8166; where it leaves a choice, or one of them is stricter
 * than it or breaks it, the expectation of a shape asks here.
 */
enum Peer {
    /** The server of the Linux kernel, as of 6.12. */
    LINUX,
    /** The server of this project. */
    OURS
}
