package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** The name of a session: {@code sessionid4}, 16 bytes (RFC 8881, Section 3.2). */
public record SessionId(long upper, long lower) {
    public static SessionId decode(XdrReader in) throws XdrException {
        return new SessionId(in.uint64(), in.uint64());
    }

    public XdrWriter encode(XdrWriter out) {
        return out.uint64(upper).uint64(lower);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(upper, lower);
    }

    /** Returns its 32 hexadecimal digits. */
    @Override
    public String toString() {
        return "%016x%016x".formatted(upper, lower);
    }
}
