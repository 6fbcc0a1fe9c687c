package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.Caller;

/** The use of a file by a caller. */
record DataUse(LinuxNode node, Caller caller) {}
