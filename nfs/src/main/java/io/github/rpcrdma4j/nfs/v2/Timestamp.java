package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A time on the wire: {@code timeval} (RFC 1094, Section 2.3.4).
 *
 * <pre>seconds(32) | useconds(32)</pre>
 *
 * @param seconds since 1970, unsigned 32 bits
 * @param micros within the second, unsigned 32 bits
 */
public record Timestamp(int seconds, int micros) {
    static Timestamp decode(XdrReader in) throws XdrException {
        return new Timestamp(in.uint32(), in.uint32());
    }

    XdrWriter encode(XdrWriter out) {
        return out.uint32(seconds).uint32(micros);
    }
}
