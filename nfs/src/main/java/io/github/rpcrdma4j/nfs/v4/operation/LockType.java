package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * The type of a lock: {@code nfs_lock_type4}, in the order of its numbers from 1 on (RFC 8881,
 * Section 18.10).
 */
public enum LockType {
    READ,
    WRITE,
    /** A lock for reading for which the client waits, if it is not granted at once. */
    READ_WAITING,
    /** A lock for writing for which the client waits, if it is not granted at once. */
    WRITE_WAITING;

    private static final LockType[] BY_NUMBER = values();

    /** Returns whether the client waits for the lock. */
    public boolean isWaiting() {
        return this == READ_WAITING || this == WRITE_WAITING;
    }

    int number() {
        return ordinal() + 1;
    }

    static LockType decode(XdrReader in) throws XdrException {
        int number = in.uint32();
        if (number < 1 || number > BY_NUMBER.length) {
            throw XdrArrays.unknown("nfs_lock_type4", number);
        }
        return BY_NUMBER[number - 1];
    }
}
