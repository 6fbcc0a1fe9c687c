package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A call as its program sees it.
 *
 * @param version the version of the program, within the range it serves
 * @param procedure any number
 * @param credential who calls
 * @param arguments the arguments, to be decoded to their end
 * @param peer where the call came from
 * @param pool where memory for bulk results may be leased
 * @param reverse the way back to the caller; empty if its transport has none
 */
public record RpcRequest(
        int version,
        int procedure,
        Credential credential,
        XdrReader arguments,
        InetSocketAddress peer,
        SegmentPool pool,
        Optional<ReverseDirection> reverse) {

    /** Whose shares of what a server has the call uses. */
    public ClientAddress client() {
        return ClientAddress.of(peer);
    }
}
