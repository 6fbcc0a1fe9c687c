package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The name of a client and of its present incarnation: {@code client_owner4} (RFC 8881, Section
 * 3.3.9).
 *
 * <pre>
 *   verifier(64) | ownerid&lt;1024&gt;
 * </pre>
 *
 * @param verifier another one after each restart of the client
 */
public record ClientOwner(long verifier, OpaqueName name) {
    public static ClientOwner decode(XdrReader in) throws XdrException {
        return new ClientOwner(in.uint64(), OpaqueName.decode(in));
    }

    public XdrWriter encode(XdrWriter out) {
        return name.encode(out.uint64(verifier));
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(verifier, name.hashCode());
    }
}
