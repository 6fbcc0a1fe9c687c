package io.github.rpcrdma4j.nfs.state.event;

/**
 * Where a client of minor version 0 is called back (RFC 7530, Section 16.33): an immutable value of
 * the driver.
 */
public interface CallbackPath {}
