package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The owner of opens or of locks: {@code state_owner4} (RFC 8881, Section 3.3.10).
 *
 * <pre>
 *   clientid(64) | owner&lt;1024&gt;
 * </pre>
 *
 * @param clientId the client; servers of minor version 1 and later take the client of the session
 *     in its place
 */
public record StateOwner(long clientId, OpaqueName name) {
    public static StateOwner decode(XdrReader in) throws XdrException {
        return new StateOwner(in.uint64(), OpaqueName.decode(in));
    }

    public XdrWriter encode(XdrWriter out) {
        return name.encode(out.uint64(clientId));
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(clientId, name.hashCode());
    }
}
