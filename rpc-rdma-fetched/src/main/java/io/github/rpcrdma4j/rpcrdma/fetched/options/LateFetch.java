package io.github.rpcrdma4j.rpcrdma.fetched.options;

/** What becomes of a reply that is not fetched in time. */
public enum LateFetch {
    /** Its memory is invalidated; a late Read then ends the connection. */
    INVALIDATES,
    /** The connection is closed. */
    CLOSES
}
