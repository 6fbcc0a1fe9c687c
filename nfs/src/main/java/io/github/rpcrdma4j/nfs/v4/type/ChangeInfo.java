package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The change attribute of a directory around an operation: {@code change_info4} (RFC 8881, Section
 * 3.3.3).
 *
 * <pre>
 *   atomic | before(64) | after(64)
 * </pre>
 *
 * @param isAtomic whether nothing but the operation changed the directory between the two values
 */
public record ChangeInfo(boolean isAtomic, long before, long after) {
    public static ChangeInfo decode(XdrReader in) throws XdrException {
        return new ChangeInfo(in.bool(), in.uint64(), in.uint64());
    }

    public XdrWriter encode(XdrWriter out) {
        return out.bool(isAtomic).uint64(before).uint64(after);
    }
}
