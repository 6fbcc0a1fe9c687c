package io.github.rpcrdma4j.oncrpc.gss;

/** What a call is for: {@code rpc_gss_proc_t} (RFC 2203, Section 5). The order is the numbering. */
enum GssProcedure {
    /** The program's call. */
    DATA,
    /** The first token of a new context. */
    INIT,
    /** A further token of it. */
    CONTINUE_INIT,
    /** The end of a context. */
    DESTROY
}
