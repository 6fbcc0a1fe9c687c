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
    /**
     * Returns the timestamp of an instant. Its 32 bits of seconds wrap before 1970 and in the year
     * 2106.
     */
    public static Timestamp of(Instant instant) {
        return new Timestamp((int) instant.getEpochSecond(), instant.getNano());
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
