package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.RangeLock;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/** A locked range, for administrators. */
public record LockStatus(FileKey file, RangeLock<StateOwner> lock) {}
