package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.state.Host;
import io.github.rpcrdma4j.oncrpc.ClientAddress;

/** The address of a caller; of IPv6, its network of 64 bits. */
public record CallerHost(ClientAddress address) implements Host {
    @Override
    public String place() {
        return address.toString();
    }
}
