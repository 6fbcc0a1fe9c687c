package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Where a server is: {@code netloc4} (RFC 7862, Section 11.2).
 *
 * <pre>
 *   type(32) | 1 NL4_NAME: name | 2 NL4_URL: url | 3 NL4_NETADDR: netid address
 * </pre>
 */
public sealed interface NetworkLocation {
    /** The name of a host. */
    record Name(OpaqueName name) implements NetworkLocation {}

    /** A URL. */
    record Url(OpaqueName url) implements NetworkLocation {}

    /**
     * A universal address (RFC 5665).
     *
     * @param netId the kind of network, such as "tcp"
     */
    record Address(OpaqueName netId, OpaqueName address) implements NetworkLocation {}

    static NetworkLocation decode(XdrReader in) throws XdrException {
        int type = in.uint32();
        return switch (type) {
            case 1 -> new Name(OpaqueName.decode(in));
            case 2 -> new Url(OpaqueName.decode(in));
            case 3 -> new Address(OpaqueName.decode(in), OpaqueName.decode(in));
            default -> throw XdrArrays.unknown("netloc_type4", type);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case Name(var name) -> name.encode(out.uint32(1));
            case Url(var url) -> url.encode(out.uint32(2));
            case Address(var netId, var address) -> address.encode(netId.encode(out.uint32(3)));
        }
    }
}
