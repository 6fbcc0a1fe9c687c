package io.github.rpcrdma4j.nfs.server.state;

/** The kind of a byte-range lock. Two locks of different owners conflict if one is a WRITE. */
public enum LockType {
    READ,
    WRITE;

    boolean conflictsWith(LockType other) {
        return this == WRITE || other == WRITE;
    }
}
