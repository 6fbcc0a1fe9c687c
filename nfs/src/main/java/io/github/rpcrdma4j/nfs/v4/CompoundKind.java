package io.github.rpcrdma4j.nfs.v4;

/** The two procedures that carry operations. Each numbers its own operations. */
public enum CompoundKind {
    /** COMPOUND, from a client to a server (RFC 8881, Section 16.2). */
    COMPOUND,
    /** CB_COMPOUND, from a server to a client (RFC 8881, Section 20.2). */
    CB_COMPOUND
}
