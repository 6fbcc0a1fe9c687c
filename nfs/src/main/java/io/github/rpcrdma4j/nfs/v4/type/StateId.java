package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The name of an open, of a lock or of a delegation: {@code stateid4} (RFC 8881, Section 8.2).
 *
 * <pre>
 *   seqid(32) | other: upper(64) | lower(32)
 * </pre>
 *
 * @param sequence counts the changes of the state, unsigned; 0 for the newest
 * @param upper the first 8 bytes of {@code other}
 * @param lower the last 4 bytes of {@code other}
 */
public record StateId(int sequence, long upper, int lower) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 16;

    /** For operations without an open: all bits 0 (RFC 8881, Section 8.2.3). */
    public static final StateId ANONYMOUS = new StateId(0, 0, 0);

    /** For a READ that passes by share reservations: all bits 1. */
    public static final StateId READ_BYPASS = new StateId(-1, -1, -1);

    /** Stands for the current stateid of a COMPOUND. */
    public static final StateId CURRENT = new StateId(1, 0, 0);

    /** Is never valid; the reply to CLOSE has it. */
    public static final StateId INVALID = new StateId(-1, 0, 0);

    public static StateId decode(XdrReader in) throws XdrException {
        return new StateId(in.uint32(), in.uint64(), in.uint32());
    }

    public XdrWriter encode(XdrWriter out) {
        return out.uint32(sequence).uint64(upper).uint32(lower);
    }

    /** Returns whether this is one of the four reserved values, or any other with such bits. */
    public boolean isReserved() {
        return upper == 0 && lower == 0 || upper == -1 && lower == -1;
    }

    /** Returns this stateid with another sequence. */
    public StateId withSequence(int other) {
        return new StateId(other, upper, lower);
    }
}
