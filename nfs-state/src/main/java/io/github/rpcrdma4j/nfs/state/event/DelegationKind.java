package io.github.rpcrdma4j.nfs.state.event;

/** What a delegation lets its client do without asking (RFC 8881, Section 10.4). */
public enum DelegationKind {
    /** No other client writes, so cached data and attributes stay right. */
    READ,

    /** No other client reads or writes, so the client may also keep what it writes. */
    WRITE
}
