package io.github.rpcrdma4j.oncrpc.share;

import io.github.rpcrdma4j.oncrpc.ClientAddress;

/** Whose share a caller uses: an address, of IPv6 its network of 64 bits, or a local user. */
public record CallerHost(ClientAddress address) implements Host {
    @Override
    public boolean isNetwork() {
        return address.isNetwork();
    }
}
