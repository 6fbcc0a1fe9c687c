package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A lock that is in the way of another: {@code nlm_holder} and {@code nlm4_holder}.
 *
 * <pre>
 *   exclusive(32) | svid(32) | oh, at most 1024 | l_offset(32, version 4: 64) | l_len(likewise)
 * </pre>
 *
 * @param process see {@link NlmLock}
 * @param owner see {@link NlmLock}
 * @param offset unsigned
 * @param length in bytes, unsigned; 0 for all bytes from the offset on
 */
public record NlmHolder(
        boolean isExclusive, int process, OpaqueName owner, long offset, long length) {
    /** The last byte that the older versions can name. */
    private static final long SHORT_MAX = 0xffff_ffffL;

    static NlmHolder decode(int version, XdrReader in) throws XdrException {
        return new NlmHolder(
                in.bool(),
                in.uint32(),
                OpaqueName.decode(in),
                NlmLock.offset(version, in),
                NlmLock.offset(version, in));
    }

    /** Encodes the lock. The older versions tell a range beyond 32 bits as one to the end. */
    void encode(int version, XdrWriter out) {
        owner.encode(out.bool(isExclusive).uint32(process));
        boolean isWide = version == Nlm.WIDE;
        NlmLock.offset(version, out, isWide ? offset : shortOffset());
        NlmLock.offset(version, out, isWide ? length : shortLength());
    }

    private long shortOffset() {
        return Long.compareUnsigned(offset, SHORT_MAX) > 0 ? SHORT_MAX : offset;
    }

    private long shortLength() {
        boolean isFar = Long.compareUnsigned(offset, SHORT_MAX) > 0;
        return isFar || Long.compareUnsigned(length, SHORT_MAX) > 0 ? 0 : length;
    }
}
