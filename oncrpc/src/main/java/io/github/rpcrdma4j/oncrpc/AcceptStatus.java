package io.github.rpcrdma4j.oncrpc;

/** How a call ended that was let in: {@code accept_stat} (RFC 5531, Section 9). */
public enum AcceptStatus {
    SUCCESS,
    PROG_UNAVAIL,
    PROG_MISMATCH,
    PROC_UNAVAIL,
    GARBAGE_ARGS,
    SYSTEM_ERR
}
