package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The delegation in the result of OPEN: {@code open_delegation4} (RFC 8881, Section 18.16; RFC
 * 9754, Section 5).
 *
 * <pre>
 *   type(32) | 0 OPEN_DELEGATE_NONE:
 *            | 1 OPEN_DELEGATE_READ or 4 OPEN_DELEGATE_READ_ATTRS_DELEG: stateid recall nfsace4
 *            | 2 OPEN_DELEGATE_WRITE or 5 OPEN_DELEGATE_WRITE_ATTRS_DELEG:
 *                stateid recall nfs_space_limit4 nfsace4
 *            | 3 OPEN_DELEGATE_NONE_EXT: why(32) | 1 WND4_CONTENTION or 2 WND4_RESOURCE: bool
 *                                                | else:
 * </pre>
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code OperationRulesTest}.
 */
public sealed interface OpenDelegation {
    /** {@code OPEN_DELEGATE_NONE}: there is none. */
    record None() implements OpenDelegation {}

    /**
     * {@code OPEN_DELEGATE_NONE_EXT}: there is none, and why. The client must have had a wish.
     *
     * @param why one of the constants
     * @param isToldLater whether the server will offer one, or say that one can be had, with
     *     CONTENTION or RESOURCE; else false
     */
    record Refused(int why, boolean isToldLater) implements OpenDelegation {
        /** Reasons: {@code why_no_delegation4}. */
        public static final int NOT_WANTED = 0;

        public static final int CONTENTION = 1;
        public static final int RESOURCE = 2;
        public static final int NOT_SUPP_FTYPE = 3;
        public static final int WRITE_DELEG_NOT_SUPP_FTYPE = 4;
        public static final int NOT_SUPP_UPGRADE = 5;
        public static final int NOT_SUPP_DOWNGRADE = 6;
        public static final int CANCELLED = 7;
        public static final int IS_DIR = 8;

        /**
         * @throws IllegalArgumentException if another reason than CONTENTION and RESOURCE comes
         *     with a promise
         */
        public Refused {
            if (isToldLater && !mayBeToldLater(why)) {
                throw new IllegalArgumentException("reason " + why + " comes without a promise");
            }
        }

        private static boolean mayBeToldLater(int why) {
            return why == CONTENTION || why == RESOURCE;
        }

        static Refused decode(XdrReader in) throws XdrException {
            int why = in.uint32();
            return new Refused(why, mayBeToldLater(why) && in.bool());
        }

        private void put(XdrWriter out) {
            out.uint32(why);
            if (mayBeToldLater(why)) {
                out.bool(isToldLater);
            }
        }
    }

    /**
     * A delegation for reading.
     *
     * @param isRecalled whether the server recalls it already
     * @param permissions who may open the file without asking the server
     * @param hasTimes whether the client also keeps the times of the file (RFC 9754)
     */
    record Read(StateId stateId, boolean isRecalled, Ace permissions, boolean hasTimes)
            implements OpenDelegation {}

    /**
     * A delegation for writing.
     *
     * @param isRecalled whether the server recalls it already
     * @param limit how much the client may keep to itself
     * @param permissions who may open the file without asking the server
     * @param hasTimes whether the client also keeps the times of the file (RFC 9754)
     */
    record Write(
            StateId stateId,
            boolean isRecalled,
            SpaceLimit limit,
            Ace permissions,
            boolean hasTimes)
            implements OpenDelegation {}

    /**
     * The most that a client may write before it asks the server: {@code nfs_space_limit4}.
     *
     * <pre>
     *   limitby(32) | 1 NFS_LIMIT_SIZE: filesize(64)
     *               | 2 NFS_LIMIT_BLOCKS: num_blocks(32) bytes_per_block(32)
     * </pre>
     */
    sealed interface SpaceLimit {
        /**
         * The file may become so long.
         *
         * @param bytes unsigned
         */
        record Size(long bytes) implements SpaceLimit {}

        /** The file may have so many blocks. */
        record Blocks(int count, int bytesPerBlock) implements SpaceLimit {}

        private static SpaceLimit decode(XdrReader in) throws XdrException {
            int by = in.uint32();
            return switch (by) {
                case 1 -> new Size(in.uint64());
                case 2 -> new Blocks(in.uint32(), in.uint32());
                default -> throw XdrArrays.unknown("limit_by4", by);
            };
        }

        private XdrWriter encode(XdrWriter out) {
            return switch (this) {
                case Size(var bytes) -> out.uint32(1).uint64(bytes);
                case Blocks(var count, var bytes) -> out.uint32(2).uint32(count).uint32(bytes);
            };
        }
    }

    static OpenDelegation decode(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case 0 -> new None();
            case 1, 4 -> new Read(StateId.decode(in), in.bool(), Ace.decode(in), type == 4);
            case 2, 5 ->
                    new Write(
                            StateId.decode(in),
                            in.bool(),
                            SpaceLimit.decode(in),
                            Ace.decode(in),
                            type == 5);
            case 3 -> Refused.decode(in);
            default -> throw XdrArrays.unknown("open_delegation_type4", type);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case None() -> out.uint32(0);
            case Read(var stateId, var isRecalled, var permissions, var hasTimes) ->
                    permissions.encode(
                            stateId.encode(out.uint32(hasTimes ? 4 : 1)).bool(isRecalled));
            case Write(var stateId, var isRecalled, var limit, var permissions, var hasTimes) ->
                    permissions.encode(
                            limit.encode(
                                    stateId.encode(out.uint32(hasTimes ? 5 : 2)).bool(isRecalled)));
            case Refused refused -> refused.put(out.uint32(3));
        }
    }
}
