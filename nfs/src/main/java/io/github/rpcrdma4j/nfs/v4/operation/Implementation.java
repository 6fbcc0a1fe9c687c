package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * What a peer says of its software: {@code nfs_impl_id4} (RFC 8881, Section 3.3.4). Nothing may
 * depend on it.
 *
 * <pre>
 *   domain | name | date
 * </pre>
 *
 * @param domain of its author
 */
public record Implementation(OpaqueName domain, OpaqueName name, Timestamp date) {
    static Implementation decode(XdrReader in) throws XdrException {
        return new Implementation(
                OpaqueName.decode(in), OpaqueName.decode(in), Timestamp.decode(in));
    }

    void encode(XdrWriter out) {
        date.encode(name.encode(domain.encode(out)));
    }
}
