package io.github.rpcrdma4j.oncrpc.spi;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The connections of one client by the addresses of its peers. Hosts of one network of IPv6 are one
 * client: when it has too many connections, an address with the most makes room, so that no host
 * loses what a neighbor takes. Not thread-safe.
 *
 * @param <C> a connection
 */
public final class ConnectionsByAddress<C> {
    /** Sorted, because peers choose the hash codes of their addresses. */
    private final TreeMap<byte[], List<C>> byAddress = new TreeMap<>(Arrays::compare);

    private final int most;

    /**
     * Makes a copy of what there is now.
     *
     * @param connections those of one client
     * @param address tells the address of the peer of a connection
     */
    public ConnectionsByAddress(
            Collection<? extends C> connections, Function<? super C, InetSocketAddress> address) {
        for (var each : connections) {
            byAddress.computeIfAbsent(bytes(address.apply(each)), _ -> new ArrayList<>()).add(each);
        }
        most = byAddress.values().stream().mapToInt(List::size).max().orElse(0);
    }

    /** Returns the connections of the addresses that have the most; none if there are none. */
    public List<C> ofFullest() {
        return byAddress.values().stream()
                .filter(each -> each.size() == most)
                .<C>flatMap(List::stream)
                .toList();
    }

    /**
     * Returns whether an address with the most still has as many as another one, or more, when it
     * has lost one and the other one has got one.
     */
    public boolean haveMoreThan(InetSocketAddress asking) {
        return most > count(asking) + 1;
    }

    /** Returns whether an address has one connection, and no more. */
    public boolean isOnlyOne(InetSocketAddress address) {
        return count(address) == 1;
    }

    private int count(InetSocketAddress address) {
        return byAddress.getOrDefault(bytes(address), List.of()).size();
    }

    private static byte[] bytes(InetSocketAddress address) {
        return address.getAddress() == null ? new byte[0] : address.getAddress().getAddress();
    }
}
