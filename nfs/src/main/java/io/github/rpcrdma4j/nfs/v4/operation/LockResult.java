package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The values of operations on locks (RFC 8881, Sections 18.10 to 18.12). */
public sealed interface LockResult extends Result {
    /**
     * LOCK (RFC 8881, Section 18.10).
     *
     * <pre>
     *   lock_stateid
     * </pre>
     */
    record Lock(StateId lock) implements LockResult {
        static Lock decode(XdrReader in) throws XdrException {
            return new Lock(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOCK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            lock.encode(out);
        }
    }

    /**
     * LOCK or LOCKT failed with DENIED, because of a lock: {@code LOCK4denied}.
     *
     * <pre>
     *   offset(64) | length(64) | locktype(32) | owner
     * </pre>
     *
     * @param opcode LOCK or LOCKT
     * @param offset where the lock in the way starts, in bytes
     * @param type {@link LockType#READ} or {@link LockType#WRITE}
     */
    record Denied(Opcode opcode, long offset, long length, LockType type, StateOwner owner)
            implements LockResult {
        /**
         * @throws IllegalArgumentException for another operation
         */
        public Denied {
            if (opcode != Opcode.LOCK && opcode != Opcode.LOCKT) {
                throw new IllegalArgumentException(opcode + " does not fail because of a lock");
            }
        }

        static Denied decode(Opcode opcode, XdrReader in) throws XdrException {
            return new Denied(
                    opcode, in.uint64(), in.uint64(), LockType.decode(in), StateOwner.decode(in));
        }

        @Override
        public Nfs4Status status() {
            return Nfs4Status.DENIED;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            owner.encode(out.uint64(offset).uint64(length).uint32(type.number()));
        }
    }

    /**
     * LOCKU (RFC 8881, Section 18.12).
     *
     * <pre>
     *   lock_stateid
     * </pre>
     */
    record LockU(StateId lock) implements LockResult {
        static LockU decode(XdrReader in) throws XdrException {
            return new LockU(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOCKU;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            lock.encode(out);
        }
    }
}
