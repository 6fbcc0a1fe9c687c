package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Goal: addresses count whole, with all their ports. */
class ConnectionsByAddressTest {
    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    private static ConnectionsByAddress<InetSocketAddress> of(InetSocketAddress... all) {
        return new ConnectionsByAddress<>(List.of(all), Function.identity());
    }

    @Test
    void thoseOfAllAddressesWithTheMostAreCandidates() {
        assertEquals(List.of(), of().ofFullest());
        var few = at("fd00:77::2", 1);
        var many = List.of(at("fd00:77::3", 1), at("fd00:77::3", 2));
        assertEquals(many, of(few, many.getFirst(), many.getLast()).ofFullest());
        assertEquals(2, of(few, many.getFirst()).ofFullest().size());
    }

    @Test
    void anAddressWithTheMostGivesToThoseWithLess() {
        var all =
                of(
                        at("fd00:77::3", 1),
                        at("fd00:77::3", 2),
                        at("fd00:77::3", 3),
                        at("fd00:77::2", 1),
                        at("fd00:77::4", 1),
                        at("fd00:77::4", 2));
        assertTrue(all.haveMoreThan(at("fd00:77::5", 9)));
        assertTrue(all.haveMoreThan(at("fd00:77::2", 9)));
        assertFalse(all.haveMoreThan(at("fd00:77::4", 9)));
        assertFalse(all.haveMoreThan(at("fd00:77::3", 9)));
    }

    @Test
    void anAddressWithOneConnectionIsKnown() {
        var all = of(at("fd00:77::3", 1), at("fd00:77::3", 2), at("fd00:77::2", 1));
        assertTrue(all.isOnlyOne(at("fd00:77::2", 9)));
        assertFalse(all.isOnlyOne(at("fd00:77::3", 9)));
        assertFalse(all.isOnlyOne(at("fd00:77::4", 9)));
    }
}
