package io.github.rpcrdma4j.nfs.server.state;

/**
 * The user of the machine as whom a caller uses files: an immutable value of the driver, compared
 * by {@code equals}. Two principals can be one user, and one principal another user at each export.
 */
public interface FileUser {}
