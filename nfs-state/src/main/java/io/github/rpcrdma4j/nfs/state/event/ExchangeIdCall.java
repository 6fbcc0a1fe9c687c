package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;

/**
 * The arguments of EXCHANGE_ID (RFC 8881, Section 18.35).
 *
 * @param flags {@code eia_flags}, as sent
 * @param protection the state protection that the client asks for
 * @param implementation the name of the client's implementation, for administrators; may be empty
 */
public record ExchangeIdCall(
        ClientOwner owner, int flags, Protection protection, String implementation) {
    /** {@code EXCHGID4_FLAG_USE_NON_PNFS}. */
    public static final int USE_NON_PNFS = 0x10000;

    /** {@code EXCHGID4_FLAG_UPD_CONFIRMED_REC_A}. */
    public static final int UPDATE = 0x4000_0000;

    /** {@code EXCHGID4_FLAG_CONFIRMED_R}: only in results. */
    public static final int CONFIRMED = 0x8000_0000;

    /** MOVED_REFER, MOVED_MIGR, BIND_PRINC_STATEID, and the three roles of pNFS. */
    private static final int ARGUMENTS = 0x3 | 0x100 | 0x70000 | UPDATE;

    /** Returns whether all flags may be in arguments. */
    public boolean hasValidFlags() {
        return (flags & ~ARGUMENTS) == 0;
    }

    public boolean isUpdate() {
        return (flags & UPDATE) != 0;
    }
}
