package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.FileUser;
import io.github.rpcrdma4j.nfs.server.store.Caller;

/** The user as whom a caller uses files, after the rules of the export. */
record CallerUser(Caller caller) implements FileUser {}
