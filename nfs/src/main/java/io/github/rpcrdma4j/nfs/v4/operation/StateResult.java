package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * The values of successful operations on opens and stateids (RFC 8881, Section 18).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface StateResult extends Result {
    /**
     * OPEN (RFC 8881, Section 18.16).
     *
     * <pre>
     *   stateid | change_info4 | rflags(32) | bitmap | open_delegation4
     * </pre>
     *
     * @param change of the directory
     * @param set the attributes that were set at the creation
     */
    record Open(
            StateId open, ChangeInfo change, int flags, AttributeSet set, OpenDelegation delegation)
            implements StateResult {
        /** Flags; CONFIRM is of minor version 0: the owner has to send OPEN_CONFIRM. */
        public static final int CONFIRM = 0x2;

        public static final int LOCKTYPE_POSIX = 0x4;

        public static final int PRESERVE_UNLINKED = 0x8;

        /** RFC 9754, Section 5. */
        public static final int NO_OPEN_STATEID = 0x10;

        public static final int MAY_NOTIFY_LOCK = 0x20;

        static Open decode(XdrReader in) throws XdrException {
            return new Open(
                    StateId.decode(in),
                    ChangeInfo.decode(in),
                    in.uint32(),
                    AttributeSet.decode(in),
                    OpenDelegation.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            set.encode(change.encode(open.encode(out)).uint32(flags));
            delegation.encode(out);
        }
    }

    /**
     * CLOSE (RFC 8881, Section 18.2).
     *
     * <pre>
     *   stateid
     * </pre>
     *
     * @param closed {@link StateId#INVALID}
     */
    record Close(StateId closed) implements StateResult {
        static Close decode(XdrReader in) throws XdrException {
            return new Close(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CLOSE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            closed.encode(out);
        }
    }

    /**
     * OPEN_CONFIRM (RFC 7530, Section 16.18).
     *
     * <pre>
     *   stateid
     * </pre>
     */
    record OpenConfirm(StateId open) implements StateResult {
        static OpenConfirm decode(XdrReader in) throws XdrException {
            return new OpenConfirm(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN_CONFIRM;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            open.encode(out);
        }
    }

    /**
     * OPEN_DOWNGRADE (RFC 8881, Section 18.18).
     *
     * <pre>
     *   stateid
     * </pre>
     */
    record OpenDowngrade(StateId open) implements StateResult {
        static OpenDowngrade decode(XdrReader in) throws XdrException {
            return new OpenDowngrade(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OPEN_DOWNGRADE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            open.encode(out);
        }
    }

    /**
     * TEST_STATEID (RFC 8881, Section 18.48).
     *
     * <pre>
     *   status(32)&lt;&gt;
     * </pre>
     *
     * @param statuses in the order of the stateids in the arguments
     */
    record TestStateId(List<Nfs4Status> statuses) implements StateResult {
        public TestStateId {
            statuses = List.copyOf(statuses);
        }

        static TestStateId decode(XdrReader in) throws XdrException {
            return new TestStateId(XdrArrays.list(in, Integer.BYTES, Result::decodeStatus));
        }

        @Override
        public Opcode opcode() {
            return Opcode.TEST_STATEID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out, statuses, (each, to) -> to.uint32(each.number()));
        }
    }
}
