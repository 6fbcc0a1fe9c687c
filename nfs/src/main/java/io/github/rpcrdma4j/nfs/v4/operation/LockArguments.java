package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of the operations on locks (RFC 8881, Sections 18.10 to 18.12). Offsets and lengths
 * are in bytes, unsigned; a length with all bits 1 reaches to the end of the file. The sequence
 * numbers of owners are of minor version 0 (RFC 7530, Section 9.1.7); servers of later ones ignore
 * them.
 */
public sealed interface LockArguments extends Arguments {
    /**
     * LOCK (RFC 8881, Section 18.10).
     *
     * <pre>
     *   locktype(32) | reclaim | offset(64) | length(64) | locker4
     * </pre>
     *
     * @param isReclaim whether the client held the lock before the server restarted
     */
    record Lock(LockType type, boolean isReclaim, long offset, long length, Locker locker)
            implements LockArguments {
        static Lock decode(XdrReader in) throws XdrException {
            return new Lock(
                    LockType.decode(in),
                    in.bool(),
                    in.uint64(),
                    in.uint64(),
                    in.bool() ? Locker.NewOwner.decode(in) : Locker.Existing.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOCK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(type.number()).bool(isReclaim).uint64(offset).uint64(length);
            switch (locker) {
                case Locker.NewOwner(var openSequence, var open, var lockSequence, var owner) ->
                        owner.encode(
                                open.encode(out.bool(true).uint32(openSequence))
                                        .uint32(lockSequence));
                case Locker.Existing(var lock, var lockSequence) ->
                        lock.encode(out.bool(false)).uint32(lockSequence);
            }
        }
    }

    /** Who locks: {@code locker4}. */
    sealed interface Locker {
        /**
         * The first lock of an owner in an open.
         *
         * <pre>
         *   true | open_seqid(32) | open_stateid | lock_seqid(32) | owner
         * </pre>
         */
        record NewOwner(int openSequence, StateId open, int lockSequence, StateOwner owner)
                implements Locker {
            static NewOwner decode(XdrReader in) throws XdrException {
                return new NewOwner(
                        in.uint32(), StateId.decode(in), in.uint32(), StateOwner.decode(in));
            }
        }

        /**
         * An owner that has a stateid for its locks.
         *
         * <pre>
         *   false | lock_stateid | lock_seqid(32)
         * </pre>
         */
        record Existing(StateId lock, int lockSequence) implements Locker {
            static Existing decode(XdrReader in) throws XdrException {
                return new Existing(StateId.decode(in), in.uint32());
            }
        }
    }

    /**
     * LOCKT (RFC 8881, Section 18.11).
     *
     * <pre>
     *   locktype(32) | offset(64) | length(64) | owner
     * </pre>
     */
    record LockT(LockType type, long offset, long length, StateOwner owner)
            implements LockArguments {
        static LockT decode(XdrReader in) throws XdrException {
            return new LockT(LockType.decode(in), in.uint64(), in.uint64(), StateOwner.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOCKT;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            owner.encode(out.uint32(type.number()).uint64(offset).uint64(length));
        }
    }

    /**
     * LOCKU (RFC 8881, Section 18.12).
     *
     * <pre>
     *   locktype(32) | seqid(32) | lock_stateid | offset(64) | length(64)
     * </pre>
     */
    record LockU(LockType type, int sequence, StateId lock, long offset, long length)
            implements LockArguments {
        static LockU decode(XdrReader in) throws XdrException {
            return new LockU(
                    LockType.decode(in), in.uint32(), StateId.decode(in), in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.LOCKU;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            lock.encode(out.uint32(type.number()).uint32(sequence)).uint64(offset).uint64(length);
        }
    }
}
