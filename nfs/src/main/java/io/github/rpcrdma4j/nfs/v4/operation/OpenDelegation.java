package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The delegation in the result of OPEN: {@code open_delegation4} (RFC 8881, Section 18.16). Servers
 * here grant none yet, so delegations for reading and writing have no record.
 *
 * <pre>
 *   type(32) | 0 OPEN_DELEGATE_NONE:
 *            | 3 OPEN_DELEGATE_NONE_EXT: why(32) | 1 WND4_CONTENTION or 2 WND4_RESOURCE: bool
 *                                                | else:
 * </pre>
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

    static OpenDelegation decode(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case 0 -> new None();
            case 3 -> Refused.decode(in);
            default -> throw XdrArrays.unknown("open_delegation_type4", type);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case None() -> out.uint32(0);
            case Refused refused -> refused.put(out.uint32(3));
        }
    }
}
