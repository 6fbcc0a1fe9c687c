package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Operation;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * The callbacks that a server here makes: {@code nfs_cb_opnum4} (RFC 8881, Section 20; RFC 7862,
 * Section 16).
 */
public enum CallbackOpcode {
    CB_GETATTR,
    CB_RECALL,
    CB_RECALL_ANY,
    CB_RECALL_SLOT,
    CB_SEQUENCE,
    CB_NOTIFY_LOCK,
    CB_OFFLOAD;

    private final Operation operation;

    CallbackOpcode() {
        operation = Operation.of(CompoundKind.CB_COMPOUND, name()).orElseThrow();
    }

    /** Returns the number on the wire. */
    public int number() {
        return operation.number();
    }

    /** Returns the operation with its layouts. */
    public Operation operation() {
        return operation;
    }

    /** Reads the number of a callback, and refuses others. */
    static CallbackOpcode decode(XdrReader in) throws XdrException {
        int number = in.uint32();
        for (var each : values()) {
            if (each.number() == number) {
                return each;
            }
        }
        throw XdrArrays.unknown("callback", number);
    }
}
