package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The attributes to change and their new values: {@code sattr} (RFC 1094, Section 2.3.6). The value
 * {@link #KEEP} leaves an attribute alone.
 *
 * <pre>mode uid gid size(32 each) | atime mtime(64 each)</pre>
 *
 * @param mode the permission bits; in CREATE also the type as in {@code st_mode}
 * @param size in bytes, unsigned; in CREATE of a device its number
 */
public record SetAttributes(
        int mode, int uid, int gid, int size, Timestamp accessed, Timestamp modified) {
    /** Leaves an attribute alone. */
    public static final int KEEP = -1;

    /** Leaves a time alone. */
    public static final Timestamp KEEP_TIME = new Timestamp(KEEP, KEEP);

    /** The microseconds that ask for the time of the server, an agreement of Sun's systems. */
    public static final int SERVER_TIME_MICROS = 1_000_000;

    /** Changes nothing. */
    public static final SetAttributes NONE =
            new SetAttributes(KEEP, KEEP, KEEP, KEEP, KEEP_TIME, KEEP_TIME);

    /** Returns a change of the permission bits alone. */
    public static SetAttributes ofMode(int mode) {
        return new SetAttributes(mode, KEEP, KEEP, KEEP, KEEP_TIME, KEEP_TIME);
    }

    /** Returns these changes with another size, in bytes. */
    public SetAttributes withSize(int other) {
        return new SetAttributes(mode, uid, gid, other, accessed, modified);
    }

    static SetAttributes decode(XdrReader in) throws XdrException {
        return new SetAttributes(
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                Timestamp.decode(in),
                Timestamp.decode(in));
    }

    XdrWriter encode(XdrWriter out) {
        out.uint32(mode).uint32(uid).uint32(gid).uint32(size);
        accessed.encode(out);
        return modified.encode(out);
    }
}
