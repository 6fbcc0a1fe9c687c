package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;

/**
 * A lock that a host wants, or has.
 *
 * @param owner which process of the host
 */
public record HostLock(FileKey file, OpaqueName owner, LockMode type, ByteRange range) {}
