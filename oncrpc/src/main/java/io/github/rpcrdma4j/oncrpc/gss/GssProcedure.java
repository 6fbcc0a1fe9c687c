package io.github.rpcrdma4j.oncrpc.gss;

/**
 * The purpose of a call: {@code rpc_gss_proc_t} (RFC 2203, Section 5). The order of the constants
 * is the numbering.
 */
enum GssProcedure {
    /** A call of the program itself. */
    DATA,
    /** The first token of a new context. */
    INIT,
    /** A further token of a new context. */
    CONTINUE_INIT,
    /** The end of a context. */
    DESTROY
}
