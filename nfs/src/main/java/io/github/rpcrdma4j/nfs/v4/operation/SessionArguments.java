package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of the operations on clients and sessions (RFC 8881, Section 18.33 and on).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface SessionArguments extends Arguments {
    /**
     * EXCHANGE_ID (RFC 8881, Section 18.35).
     *
     * <pre>
     *   owner | flags(32) | state_protect4_a | nfs_impl_id4&lt;1&gt;
     * </pre>
     *
     * @param flags with unknown bits, if the client sent some
     */
    record ExchangeId(
            ClientOwner owner,
            int flags,
            StateProtection protection,
            Optional<Implementation> implementation)
            implements SessionArguments {
        /** Flags of arguments and results. */
        public static final int SUPP_MOVED_REFER = 0x1;

        public static final int SUPP_MOVED_MIGR = 0x2;
        public static final int SUPP_FENCE_OPS = 0x4;
        public static final int BIND_PRINC_STATEID = 0x100;
        public static final int USE_NON_PNFS = 0x10000;
        public static final int USE_PNFS_MDS = 0x20000;
        public static final int USE_PNFS_DS = 0x40000;

        /** Of arguments only: update a confirmed record. */
        public static final int UPD_CONFIRMED_REC_A = 0x4000_0000;

        /** Of results only: the record is confirmed. */
        public static final int CONFIRMED_R = 0x8000_0000;

        static ExchangeId decode(XdrReader in) throws XdrException {
            return new ExchangeId(
                    ClientOwner.decode(in),
                    in.uint32(),
                    StateProtection.decode(in),
                    XdrArrays.optional(in, Implementation::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.EXCHANGE_ID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            protection.encode(owner.encode(out).uint32(flags));
            XdrArrays.encode(out, implementation, Implementation::encode);
        }
    }

    /**
     * CREATE_SESSION (RFC 8881, Section 18.36).
     *
     * <pre>
     *   clientid(64) | sequence(32) | flags(32) | fore channel | back channel | cb_program(32)
     *   | callback_sec_parms4&lt;&gt;
     * </pre>
     *
     * @param callbackProgram the number of the program of callbacks
     * @param callbackSecurity what the server may use for callbacks, in the client's order
     */
    record CreateSession(
            long clientId,
            int sequence,
            int flags,
            ChannelAttributes fore,
            ChannelAttributes back,
            int callbackProgram,
            List<CallbackSecurity> callbackSecurity)
            implements SessionArguments {
        /** Flags of arguments and results. */
        public static final int PERSIST = 0x1;

        public static final int CONN_BACK_CHAN = 0x2;
        public static final int CONN_RDMA = 0x4;

        public CreateSession {
            callbackSecurity = List.copyOf(callbackSecurity);
        }

        static CreateSession decode(XdrReader in) throws XdrException {
            return new CreateSession(
                    in.uint64(),
                    in.uint32(),
                    in.uint32(),
                    ChannelAttributes.decode(in),
                    ChannelAttributes.decode(in),
                    in.uint32(),
                    XdrArrays.list(in, Integer.BYTES, CallbackSecurity::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CREATE_SESSION;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(clientId).uint32(sequence).uint32(flags);
            back.encode(fore.encode(out)).uint32(callbackProgram);
            XdrArrays.encode(out, callbackSecurity, CallbackSecurity::encode);
        }
    }

    /**
     * DESTROY_SESSION (RFC 8881, Section 18.37).
     *
     * <pre>
     *   sessionid
     * </pre>
     */
    record DestroySession(SessionId session) implements SessionArguments {
        static DestroySession decode(XdrReader in) throws XdrException {
            return new DestroySession(SessionId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.DESTROY_SESSION;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out);
        }
    }

    /**
     * DESTROY_CLIENTID (RFC 8881, Section 18.50).
     *
     * <pre>
     *   clientid(64)
     * </pre>
     */
    record DestroyClientId(long clientId) implements SessionArguments {
        static DestroyClientId decode(XdrReader in) throws XdrException {
            return new DestroyClientId(in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.DESTROY_CLIENTID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(clientId);
        }
    }

    /**
     * BIND_CONN_TO_SESSION (RFC 8881, Section 18.34).
     *
     * <pre>
     *   sessionid | dir(32) | use_conn_in_rdma_mode
     * </pre>
     */
    record BindConnToSession(SessionId session, Direction direction, boolean isRdma)
            implements SessionArguments {
        /** What the client wants the connection for: {@code channel_dir_from_client4}. */
        public enum Direction {
            FORE(1),
            BACK(2),
            FORE_OR_BOTH(3),
            BACK_OR_BOTH(7);

            private final int number;

            Direction(int number) {
                this.number = number;
            }

            static Direction decode(XdrReader in) throws XdrException {
                int number = in.uint32();
                for (var each : values()) {
                    if (each.number == number) {
                        return each;
                    }
                }
                throw XdrArrays.unknown("channel_dir_from_client4", number);
            }
        }

        static BindConnToSession decode(XdrReader in) throws XdrException {
            return new BindConnToSession(SessionId.decode(in), Direction.decode(in), in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.BIND_CONN_TO_SESSION;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out).uint32(direction.number).bool(isRdma);
        }
    }

    /**
     * BACKCHANNEL_CTL (RFC 8881, Section 18.33).
     *
     * <pre>
     *   cb_program(32) | callback_sec_parms4&lt;&gt;
     * </pre>
     */
    record BackchannelCtl(int callbackProgram, List<CallbackSecurity> callbackSecurity)
            implements SessionArguments {
        public BackchannelCtl {
            callbackSecurity = List.copyOf(callbackSecurity);
        }

        static BackchannelCtl decode(XdrReader in) throws XdrException {
            return new BackchannelCtl(
                    in.uint32(), XdrArrays.list(in, Integer.BYTES, CallbackSecurity::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.BACKCHANNEL_CTL;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(
                    out.uint32(callbackProgram), callbackSecurity, CallbackSecurity::encode);
        }
    }

    /**
     * SEQUENCE (RFC 8881, Section 18.46).
     *
     * <pre>
     *   sessionid | sequenceid(32) | slotid(32) | highest_slotid(32) | cachethis
     * </pre>
     *
     * @param highestSlot the highest slot that the client uses at the moment
     * @param isCached whether the server is to keep the whole reply
     */
    record Sequence(SessionId session, int sequence, int slot, int highestSlot, boolean isCached)
            implements SessionArguments {
        static Sequence decode(XdrReader in) throws XdrException {
            return new Sequence(
                    SessionId.decode(in), in.uint32(), in.uint32(), in.uint32(), in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SEQUENCE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out).uint32(sequence).uint32(slot).uint32(highestSlot).bool(isCached);
        }
    }

    /**
     * RECLAIM_COMPLETE (RFC 8881, Section 18.51).
     *
     * <pre>
     *   one_fs
     * </pre>
     *
     * @param isOneFileSystem whether it is about the file system of the current filehandle only
     */
    record ReclaimComplete(boolean isOneFileSystem) implements SessionArguments {
        static ReclaimComplete decode(XdrReader in) throws XdrException {
            return new ReclaimComplete(in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.RECLAIM_COMPLETE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bool(isOneFileSystem);
        }
    }

    /**
     * SET_SSV (RFC 8881, Section 18.47).
     *
     * <pre>
     *   ssv&lt;&gt; | digest&lt;&gt;
     * </pre>
     */
    record SetSsv(OpaqueName ssv, OpaqueName digest) implements SessionArguments {
        static SetSsv decode(XdrReader in) throws XdrException {
            return new SetSsv(OpaqueName.decode(in), OpaqueName.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SET_SSV;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            digest.encode(ssv.encode(out));
        }
    }
}
