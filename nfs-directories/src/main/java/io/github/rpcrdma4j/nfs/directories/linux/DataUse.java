package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Origin;

/**
 * The use of a file by a caller.
 *
 * @param origin whose share it uses
 */
record DataUse(LinuxNode node, Caller caller, Origin origin) {}
