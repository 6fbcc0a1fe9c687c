package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A call, as its program receives it.
 *
 * @param version the version of the program, one of its served versions
 * @param procedure any number
 * @param credential the identity of the caller
 * @param arguments the arguments, to be decoded to their end
 * @param peer the address of the caller
 * @param identity who the peer was found to be when it connected
 * @param pool lends memory for bulk results
 * @param reverse the reverse direction to the caller; empty if its transport has none
 */
public record RpcRequest(
        int version,
        int procedure,
        Credential credential,
        XdrReader arguments,
        InetSocketAddress peer,
        PeerIdentity identity,
        SegmentPool pool,
        Optional<ReverseDirection> reverse) {

    /** Returns the client whose quotas the call uses. */
    public ClientAddress client() {
        return identity.client();
    }
}
