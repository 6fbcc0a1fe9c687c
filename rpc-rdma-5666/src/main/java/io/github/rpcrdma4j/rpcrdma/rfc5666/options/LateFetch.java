package io.github.rpcrdma4j.rpcrdma.rfc5666.options;

/** The reaction of a responder to a reply that is not fetched in time. */
public enum LateFetch {
    /** The responder invalidates the memory of the reply; a late Read then ends the connection. */
    INVALIDATES,
    /** The responder closes the connection. */
    CLOSES
}
