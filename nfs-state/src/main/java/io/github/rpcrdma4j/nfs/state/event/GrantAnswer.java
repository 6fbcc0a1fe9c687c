package io.github.rpcrdma4j.nfs.state.event;

/** What has come of telling a host that it has the lock that it has waited for. */
public enum GrantAnswer {
    /** It has the lock. */
    TAKEN,
    /** It does not wait for the lock. */
    REFUSED,
    /** It may have got the call, and has not answered. */
    SILENT,
    /** It has not got the call, or wants to be called later. */
    UNREACHABLE
}
