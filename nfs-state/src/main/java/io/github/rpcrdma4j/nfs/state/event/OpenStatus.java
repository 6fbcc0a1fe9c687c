package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * An open, for administrators.
 *
 * @param access READ 1, WRITE 2, BOTH 3
 * @param deny NONE 0, READ 1, WRITE 2, BOTH 3
 */
public record OpenStatus(FileKey file, StateOwner owner, StateId id, int access, int deny) {}
