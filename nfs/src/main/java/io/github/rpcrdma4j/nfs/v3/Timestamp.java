package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Instant;

/**
 * A time on the wire: {@code nfstime3} (RFC 1813, Section 2.6).
 *
 * @param seconds since 1970, unsigned 32 bits
 * @param nanos within the second, unsigned 32 bits
 */
public record Timestamp(int seconds, int nanos) {
    private static final long SECONDS_MAX = 0xffff_ffffL;
    private static final int NANOS_MAX = 999_999_999;

    /** Returns the timestamp of an instant, as {@link #of(long, int)} does. */
    public static Timestamp of(Instant instant) {
        return of(instant.getEpochSecond(), instant.getNano());
    }

    /**
     * Returns the timestamp that is nearest to a time: its 32 bits of seconds end in the year 2106.
     *
     * @param seconds since 1970; negative for earlier times
     * @param nanos within the second, 0 to 999,999,999
     */
    public static Timestamp of(long seconds, int nanos) {
        if (seconds < 0) {
            return new Timestamp(0, 0);
        }
        return seconds > SECONDS_MAX
                ? new Timestamp((int) SECONDS_MAX, NANOS_MAX)
                : new Timestamp((int) seconds, nanos);
    }

    public Instant instant() {
        return Instant.ofEpochSecond(
                Integer.toUnsignedLong(seconds), Integer.toUnsignedLong(nanos));
    }

    static Timestamp decode(XdrReader in) throws XdrException {
        return new Timestamp(in.uint32(), in.uint32());
    }

    void encode(XdrWriter out) {
        out.uint32(seconds).uint32(nanos);
    }
}
