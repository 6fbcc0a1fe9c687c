package io.github.rpcrdma4j.nfs.state.range;

/** The kind of a byte-range lock. Two locks of different owners conflict if one is a WRITE. */
public enum LockMode {
    READ,
    WRITE;

    public boolean conflictsWith(LockMode other) {
        return this == WRITE || other == WRITE;
    }
}
