package io.github.rpcrdma4j.nfs.state.event;

/**
 * A connection of the transport.
 *
 * @param number given by the driver; never used for another connection
 * @param callsBack whether the server can send calls over it
 */
public record Connection(long number, boolean callsBack) {}
