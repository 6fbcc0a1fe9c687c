package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * The arguments of the operations on opens, delegations and stateids (RFC 8881, Section 18). The
 * sequence numbers of owners are of minor version 0 (RFC 7530, Section 9.1.7); servers of later
 * ones ignore them.
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface StateArguments extends Arguments {
    /**
     * OPEN (RFC 8881, Section 18.16).
     *
     * <pre>
     *   seqid(32) | share_access(32) | share_deny(32) | owner | openflag4 | open_claim4
     * </pre>
     *
     * @param access what the client wants to do, and its wishes about delegations, unknown bits
     *     included
     * @param deny what others may not do at the same time, unknown bits included
     */
    record Open(
            int sequence,
            int access,
            int deny,
            StateOwner owner,
            OpenCreation creation,
            OpenClaim claim)
            implements StateArguments {
        /** Bits of {@code access} and {@code deny}. */
        public static final int READ = 0x1;

        public static final int WRITE = 0x2;
        public static final int BOTH = READ | WRITE;

        /** Wishes in {@code access}: one of these values under a mask. */
        public static final int WANT_DELEG_MASK = 0xff00;

        public static final int WANT_READ_DELEG = 0x100;
        public static final int WANT_WRITE_DELEG = 0x200;
        public static final int WANT_ANY_DELEG = 0x300;
        public static final int WANT_NO_DELEG = 0x400;
        public static final int WANT_CANCEL = 0x500;

        /** Further wishes in {@code access}: bits. */
        public static final int WANT_SIGNAL_DELEG_WHEN_RESRC_AVAIL = 0x1_0000;

        public static final int WANT_PUSH_DELEG_WHEN_UNCONTENDED = 0x2_0000;

        /** RFC 9754, Sections 4 and 5. */
        public static final int WANT_DELEG_TIMESTAMPS = 0x10_0000;

        public static final int WANT_OPEN_XOR_DELEGATION = 0x20_0000;

        static Open decode(XdrReader in) throws XdrException {
            return new Open(
                    in.uint32(),
                    in.uint32(),
                    in.uint32(),
                    StateOwner.decode(in),
                    OpenCreation.decode(in),
                    OpenClaim.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            creation.encode(owner.encode(out.uint32(sequence).uint32(access).uint32(deny)));
            claim.encode(out);
        }
    }

    /**
     * CLOSE (RFC 8881, Section 18.2).
     *
     * <pre>
     *   seqid(32) | stateid
     * </pre>
     */
    record Close(int sequence, StateId open) implements StateArguments {
        static Close decode(XdrReader in) throws XdrException {
            return new Close(in.uint32(), StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CLOSE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            open.encode(out.uint32(sequence));
        }
    }

    /**
     * OPEN_CONFIRM, of minor version 0 only (RFC 7530, Section 16.18).
     *
     * <pre>
     *   stateid | seqid(32)
     * </pre>
     */
    record OpenConfirm(StateId open, int sequence) implements StateArguments {
        static OpenConfirm decode(XdrReader in) throws XdrException {
            return new OpenConfirm(StateId.decode(in), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN_CONFIRM;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            open.encode(out).uint32(sequence);
        }
    }

    /**
     * OPEN_DOWNGRADE (RFC 8881, Section 18.18).
     *
     * <pre>
     *   stateid | seqid(32) | share_access(32) | share_deny(32)
     * </pre>
     *
     * @param access as in {@link Open}
     */
    record OpenDowngrade(StateId open, int sequence, int access, int deny)
            implements StateArguments {
        static OpenDowngrade decode(XdrReader in) throws XdrException {
            return new OpenDowngrade(StateId.decode(in), in.uint32(), in.uint32(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN_DOWNGRADE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            open.encode(out).uint32(sequence).uint32(access).uint32(deny);
        }
    }

    /**
     * DELEGRETURN (RFC 8881, Section 18.6).
     *
     * <pre>
     *   stateid
     * </pre>
     */
    record DelegReturn(StateId delegation) implements StateArguments {
        static DelegReturn decode(XdrReader in) throws XdrException {
            return new DelegReturn(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.DELEGRETURN;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            delegation.encode(out);
        }
    }

    /**
     * TEST_STATEID (RFC 8881, Section 18.48).
     *
     * <pre>
     *   stateid&lt;&gt;
     * </pre>
     */
    record TestStateId(List<StateId> stateIds) implements StateArguments {
        public TestStateId {
            stateIds = List.copyOf(stateIds);
        }

        static TestStateId decode(XdrReader in) throws XdrException {
            return new TestStateId(XdrArrays.list(in, StateId.BYTES, StateId::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.TEST_STATEID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out, stateIds, StateId::encode);
        }
    }

    /**
     * FREE_STATEID (RFC 8881, Section 18.38).
     *
     * <pre>
     *   stateid
     * </pre>
     */
    record FreeStateId(StateId stateId) implements StateArguments {
        static FreeStateId decode(XdrReader in) throws XdrException {
            return new FreeStateId(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.FREE_STATEID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out);
        }
    }
}
