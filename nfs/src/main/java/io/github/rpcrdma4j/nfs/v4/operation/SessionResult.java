package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The values of successful operations on clients and sessions (RFC 8881, Section 18.33 and on). The
 * flags are those of the arguments.
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface SessionResult extends Result {
    /**
     * EXCHANGE_ID (RFC 8881, Section 18.35).
     *
     * <pre>
     *   clientid(64) | sequenceid(32) | flags(32) | state_protect4_r
     *   | so_minor_id(64) so_major_id&lt;1024&gt; | scope&lt;1024&gt; | nfs_impl_id4&lt;1&gt;
     * </pre>
     *
     * @param sequence the number that the next CREATE_SESSION is to have
     * @param protection not SSV
     * @param serverMinor the part of the server's name that may differ between its addresses
     * @param serverMajor the server's name: equal on all its addresses and after a restart
     * @param scope within it, names of servers and state differ
     */
    record ExchangeId(
            long clientId,
            int sequence,
            int flags,
            StateProtection protection,
            long serverMinor,
            OpaqueName serverMajor,
            OpaqueName scope,
            Optional<Implementation> implementation)
            implements SessionResult {
        /**
         * @throws IllegalArgumentException for SSV, whose results have another layout
         */
        public ExchangeId {
            if (protection instanceof StateProtection.Ssv) {
                throw new IllegalArgumentException("no server here protects state by SSV");
            }
        }

        static ExchangeId decode(XdrReader in) throws XdrException {
            long clientId = in.uint64();
            int sequence = in.uint32();
            int flags = in.uint32();
            var protection = StateProtection.decode(in);
            if (protection instanceof StateProtection.Ssv) {
                throw new XdrException("the values of SSV are not known");
            }
            return new ExchangeId(
                    clientId,
                    sequence,
                    flags,
                    protection,
                    in.uint64(),
                    OpaqueName.decode(in),
                    OpaqueName.decode(in),
                    XdrArrays.optional(in, Implementation::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.EXCHANGE_ID;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            protection.encode(out.uint64(clientId).uint32(sequence).uint32(flags));
            scope.encode(serverMajor.encode(out.uint64(serverMinor)));
            XdrArrays.encode(out, implementation, Implementation::encode);
        }
    }

    /**
     * CREATE_SESSION (RFC 8881, Section 18.36).
     *
     * <pre>
     *   sessionid | sequence(32) | flags(32) | fore channel | back channel
     * </pre>
     */
    record CreateSession(
            SessionId session,
            int sequence,
            int flags,
            ChannelAttributes fore,
            ChannelAttributes back)
            implements SessionResult {
        static CreateSession decode(XdrReader in) throws XdrException {
            return new CreateSession(
                    SessionId.decode(in),
                    in.uint32(),
                    in.uint32(),
                    ChannelAttributes.decode(in),
                    ChannelAttributes.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CREATE_SESSION;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            back.encode(fore.encode(session.encode(out).uint32(sequence).uint32(flags)));
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
            implements SessionResult {
        /**
         * What the connection is bound to: {@code channel_dir_from_server4}, in the order of its
         * numbers from 1 on.
         */
        public enum Direction {
            FORE,
            BACK,
            BOTH;

            private static final Direction[] BY_NUMBER = values();

            static Direction decode(XdrReader in) throws XdrException {
                int number = in.uint32();
                if (number < 1 || number > BY_NUMBER.length) {
                    throw XdrArrays.unknown("channel_dir_from_server4", number);
                }
                return BY_NUMBER[number - 1];
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
            session.encode(out).uint32(direction.ordinal() + 1).bool(isRdma);
        }
    }

    /**
     * SEQUENCE (RFC 8881, Section 18.46).
     *
     * <pre>
     *   sessionid | sequenceid(32) | slotid(32) | highest_slotid(32) | target_highest_slotid(32)
     *   | status_flags(32)
     * </pre>
     *
     * @param highestSlot the highest slot that the server takes
     * @param targetHighestSlot the highest slot that the server wants to take in future
     * @param statusFlags what the client is to look after
     */
    record Sequence(
            SessionId session,
            int sequence,
            int slot,
            int highestSlot,
            int targetHighestSlot,
            int statusFlags)
            implements SessionResult {
        /** Status flags. */
        public static final int CB_PATH_DOWN = 0x1;

        public static final int CB_GSS_CONTEXTS_EXPIRING = 0x2;
        public static final int CB_GSS_CONTEXTS_EXPIRED = 0x4;
        public static final int EXPIRED_ALL_STATE_REVOKED = 0x8;
        public static final int EXPIRED_SOME_STATE_REVOKED = 0x10;
        public static final int ADMIN_STATE_REVOKED = 0x20;
        public static final int RECALLABLE_STATE_REVOKED = 0x40;
        public static final int LEASE_MOVED = 0x80;
        public static final int RESTART_RECLAIM_NEEDED = 0x100;
        public static final int CB_PATH_DOWN_SESSION = 0x200;
        public static final int BACKCHANNEL_FAULT = 0x400;

        static Sequence decode(XdrReader in) throws XdrException {
            return new Sequence(
                    SessionId.decode(in),
                    in.uint32(),
                    in.uint32(),
                    in.uint32(),
                    in.uint32(),
                    in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SEQUENCE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out)
                    .uint32(sequence)
                    .uint32(slot)
                    .uint32(highestSlot)
                    .uint32(targetHighestSlot)
                    .uint32(statusFlags);
        }
    }

    /**
     * SET_SSV (RFC 8881, Section 18.47).
     *
     * <pre>
     *   digest&lt;&gt;
     * </pre>
     */
    record SetSsv(OpaqueName digest) implements SessionResult {
        static SetSsv decode(XdrReader in) throws XdrException {
            return new SetSsv(OpaqueName.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.SET_SSV;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            digest.encode(out);
        }
    }
}
