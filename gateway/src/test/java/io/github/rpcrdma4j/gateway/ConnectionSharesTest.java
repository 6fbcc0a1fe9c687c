package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: others have connections to the server also if one host takes all that it can. */
class ConnectionSharesTest {
    private static final int MAX = 4;

    private final ConnectionShares shares = new ConnectionShares(MAX);
    private final List<String> displaced = new ArrayList<>();
    private long time;

    private final class Held implements ConnectionShares.Holder {
        final ClientAddress host;
        final String name;
        boolean isIdle = true;
        long lastUse = time++;

        Held(String host, String name) {
            this.host = ClientAddress.of(new InetSocketAddress(host, 1));
            this.name = name;
        }

        Held busy() {
            isIdle = false;
            return this;
        }

        boolean isTaken() {
            return shares.take(host, this);
        }

        @Override
        public boolean isIdle() {
            return isIdle;
        }

        @Override
        public long lastUse() {
            return lastUse;
        }

        @Override
        public void makeRoom() {
            displaced.add(name);
        }
    }

    private Held greedy(String name) {
        return new Held("192.0.2.1", name);
    }

    private Held honest(String name) {
        return new Held("192.0.2.2", name);
    }

    private Held third(String name) {
        return new Held("192.0.2.3", name);
    }

    private void assertDisplaced(String... names) {
        assertEquals(List.of(names), displaced);
        assertEquals(MAX, shares.count());
    }

    @Test
    void thereAreSoManyAndThoseThatComeBackAreFree() {
        var first = greedy("a");
        assertTrue(first.isTaken());
        for (var name : List.of("b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
        assertDisplaced();
        shares.give(first.host, first);
        shares.give(first.host, first);
        assertEquals(MAX - 1, shares.count());
        assertTrue(honest("e").isTaken());
        assertDisplaced();
    }

    @Test
    void aHostTakesThePlaceOfTheLongestIdleOneOfTheHostWithTheMost() {
        var alone = honest("alone");
        assertTrue(alone.isTaken());
        var oldest = greedy("oldest");
        assertTrue(oldest.isTaken());
        assertTrue(greedy("next").isTaken());
        assertTrue(greedy("newest").isTaken());
        oldest.lastUse = time++;
        assertTrue(third("third").isTaken());
        assertDisplaced("next");
    }

    @Test
    void ofBusyOnesAHostThatHasFewerStillTakesThePlace() {
        for (var name : List.of("a", "b", "c", "d")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertTrue(honest("first").busy().isTaken());
        assertTrue(honest("second").busy().isTaken());
        assertDisplaced("a", "b");
        assertFalse(honest("third").busy().isTaken());
        assertFalse(greedy("e").busy().isTaken());
        assertDisplaced("a", "b");
    }

    @Test
    void aBusyConnectionGoesAfterAnIdleOneOfAHostWithFewer() {
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertTrue(honest("idle").isTaken());
        assertTrue(third("third").isTaken());
        assertDisplaced("idle");
    }

    @Test
    void aHostWithTheMostTakesThePlaceOfItsOwn() {
        assertTrue(honest("alone").isTaken());
        assertTrue(greedy("a").busy().isTaken());
        assertTrue(greedy("b").isTaken());
        assertTrue(greedy("c").busy().isTaken());
        assertTrue(greedy("d").isTaken());
        assertDisplaced("b");
    }

    @Test
    void theOnlyConnectionOfAHostStaysWhileItIsBusy() {
        assertTrue(honest("alone").busy().isTaken());
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertFalse(greedy("d").busy().isTaken());
        assertTrue(third("third").busy().isTaken());
        assertDisplaced("a");
    }

    @Test
    void aBusyConnectionStaysIfItsHostWouldHaveFewerThen() {
        assertTrue(greedy("a").busy().isTaken());
        assertTrue(greedy("b").busy().isTaken());
        assertTrue(honest("first").busy().isTaken());
        assertTrue(third("third").busy().isTaken());
        assertFalse(honest("second").busy().isTaken());
        assertDisplaced();
    }

    @Test
    void aHostWithMoreTakesNoIdleOneOfAnother() {
        assertTrue(honest("idle").isTaken());
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertFalse(greedy("d").busy().isTaken());
        assertDisplaced();
    }

    @Test
    void whatHasMadeRoomGivesNothingBack() {
        var first = greedy("a");
        assertTrue(first.isTaken());
        for (var name : List.of("b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
        assertTrue(honest("e").isTaken());
        shares.give(first.host, first);
        assertDisplaced("a");
    }
}
