package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A time on the wire: {@code nfstime4} (RFC 8881, Section 3.3.1).
 *
 * <pre>
 *   seconds(64) | nseconds(32)
 * </pre>
 *
 * @param seconds since the start of 1970, UTC; negative for earlier times
 * @param nanos within the second. A peer may send more than 999,999,999: see {@link #isValid}.
 */
public record Timestamp(long seconds, int nanos) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 12;

    private static final int NANOS_MAX = 999_999_999;

    public static Timestamp decode(XdrReader in) throws XdrException {
        return new Timestamp(in.uint64(), in.uint32());
    }

    public XdrWriter encode(XdrWriter out) {
        return out.uint64(seconds).uint32(nanos);
    }

    /** Returns whether the nanoseconds are less than a second. */
    public boolean isValid() {
        return nanos >= 0 && nanos <= NANOS_MAX;
    }
}
