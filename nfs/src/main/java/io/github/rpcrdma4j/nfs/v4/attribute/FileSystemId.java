package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The id of a file system: {@code fsid4} (RFC 8881, Section 5.8.1.9).
 *
 * <pre>
 *   major(64) | minor(64)
 * </pre>
 */
public record FileSystemId(long major, long minor) {
    static FileSystemId decode(XdrReader in) throws XdrException {
        return new FileSystemId(in.uint64(), in.uint64());
    }

    void encode(XdrWriter out) {
        out.uint64(major).uint64(minor);
    }
}
