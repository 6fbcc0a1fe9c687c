package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/** Gateways for tests that read messages byte by byte. */
final class ReadableGateway {
    private ReadableGateway() {}

    /**
     * Returns a gateway whose calls keep their XIDs. Each address of loopback is a host.
     *
     * @param others the programs that pass beside those of NFS
     */
    static Gateway of(Upstream upstream, GatewayLimits limits, int... others) {
        Set<Integer> numbers = Arrays.stream(others).boxed().collect(Collectors.toSet());
        return new Gateway(
                upstream, limits, numbers, _ -> UpstreamXids.SAME, PeerIdentifier.BY_ADDRESS);
    }
}
