package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: others have connections to the server also if one host takes all that it can. */
@Timeout(60)
class ConnectionSharesTest {
    private static final int MAX = 4;

    private ConnectionShares shares = new ConnectionShares(MAX, Duration.ZERO);
    private final List<String> displaced = new ArrayList<>();
    private long time;

    /** Ends a connection that makes room. */
    private Consumer<Held> ending = _ -> {};

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

        boolean isTaken() throws InterruptedException {
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
            ending.accept(this);
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
    void thereAreSoManyAndThoseThatComeBackAreFree() throws Exception {
        var first = greedy("a");
        assertTrue(first.isTaken());
        for (var name : List.of("b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
        assertDisplaced();
        shares.giveBack(first.host, first);
        shares.giveBack(first.host, first);
        assertEquals(MAX - 1, shares.count());
        assertTrue(honest("e").isTaken());
        assertDisplaced();
    }

    @Test
    void aHostTakesThePlaceOfTheLongestIdleOneOfTheHostWithTheMost() throws Exception {
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
    void ofBusyOnesAHostThatHasFewerStillTakesThePlace() throws Exception {
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
    void theOnlyConnectionOfAHostStaysWhileAnotherHostHasBusyOnes() throws Exception {
        assertTrue(honest("idle").isTaken());
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertTrue(third("third").isTaken());
        assertDisplaced("a");
    }

    @Test
    void aHostWithNoneTakesTheLongestIdleOneIfEachHostHasOne() throws Exception {
        assertTrue(new Held("192.0.2.1", "busy").busy().isTaken());
        assertTrue(new Held("192.0.2.2", "idle").isTaken());
        assertTrue(new Held("192.0.2.3", "idle later").isTaken());
        assertTrue(new Held("192.0.2.4", "busy later").busy().isTaken());
        assertTrue(new Held("192.0.2.5", "new").busy().isTaken());
        assertDisplaced("idle");
        assertFalse(new Held("192.0.2.5", "second").isTaken());
        assertDisplaced("idle");
    }

    /** All ways in which three hosts may have all, each of them or another one asks for one. */
    @Test
    void whoMakesRoomStillHasAsManyAsTheHostThatAsks() throws Exception {
        int hosts = 3;
        int seen = 0;
        for (int code = 0; code < Math.pow(MAX + 1, 2 * hosts); code++) {
            var idle = new int[hosts + 1];
            var busy = new int[hosts + 1];
            int rest = code;
            for (int i = 0; i < hosts; i++) {
                idle[i] = rest % (MAX + 1);
                rest /= MAX + 1;
                busy[i] = rest % (MAX + 1);
                rest /= MAX + 1;
            }
            if (IntStream.of(idle).sum() + IntStream.of(busy).sum() == MAX) {
                for (int asking = 0; asking <= hosts; asking++) {
                    requireFair(idle, busy, asking);
                    seen++;
                }
            }
        }
        assertEquals(126 * (hosts + 1), seen);
    }

    private void requireFair(int[] idle, int[] busy, int asking) throws Exception {
        var full = new ConnectionShares(MAX, Duration.ZERO);
        var gone = new ArrayList<Integer>();
        var wereIdle = new ArrayList<Boolean>();
        for (int i = 0; i < idle.length; i++) {
            for (int j = 0; j < idle[i] + busy[i]; j++) {
                full.take(host(i), holder(i, j < idle[i], gone, wereIdle));
            }
        }
        var state = "idle %s, busy %s, asks %d".formatted(text(idle), text(busy), asking);
        int own = idle[asking] + busy[asking];
        int most = IntStream.range(0, idle.length).map(i -> idle[i] + busy[i]).max().getAsInt();
        boolean isTaken = full.take(host(asking), holder(asking, false, gone, wereIdle));
        assertEquals(isTaken ? 1 : 0, gone.size(), state);
        assertEquals(MAX, full.count(), state);
        if (most > own + 1) {
            assertTrue(isTaken, state);
            int from = gone.getFirst();
            assertTrue(idle[from] + busy[from] - 1 > own, state);
            boolean hasIdle =
                    IntStream.range(0, idle.length)
                            .anyMatch(i -> idle[i] > 0 && idle[i] + busy[i] > own + 1);
            assertEquals(hasIdle, wereIdle.getFirst(), state);
        } else if (own > 0) {
            assertEquals(idle[asking] > 0, isTaken, state);
            assertTrue(!isTaken || gone.getFirst() == asking && wereIdle.getFirst(), state);
        } else {
            assertEquals(IntStream.of(idle).sum() > 0, isTaken, state);
            assertTrue(!isTaken || wereIdle.getFirst(), state);
        }
    }

    private static String text(int[] numbers) {
        return IntStream.of(numbers).boxed().toList().toString();
    }

    private static ClientAddress host(int index) {
        return ClientAddress.of(new InetSocketAddress("192.0.2." + (index + 1), 1));
    }

    private static ConnectionShares.Holder holder(
            int host, boolean isIdle, List<Integer> gone, List<Boolean> wereIdle) {
        return new ConnectionShares.Holder() {
            @Override
            public boolean isIdle() {
                return isIdle;
            }

            @Override
            public long lastUse() {
                return 0;
            }

            @Override
            public void makeRoom() {
                gone.add(host);
                wereIdle.add(isIdle);
            }
        };
    }

    @Test
    void aHostWithTheMostTakesThePlaceOfItsOwn() throws Exception {
        assertTrue(honest("alone").isTaken());
        assertTrue(greedy("a").busy().isTaken());
        assertTrue(greedy("b").isTaken());
        assertTrue(greedy("c").busy().isTaken());
        assertTrue(greedy("d").isTaken());
        assertDisplaced("b");
    }

    @Test
    void theOnlyConnectionOfAHostStaysWhileItIsBusy() throws Exception {
        assertTrue(honest("alone").busy().isTaken());
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertFalse(greedy("d").busy().isTaken());
        assertTrue(third("third").busy().isTaken());
        assertDisplaced("a");
    }

    @Test
    void aBusyConnectionStaysIfItsHostWouldHaveFewerThen() throws Exception {
        assertTrue(greedy("a").busy().isTaken());
        assertTrue(greedy("b").busy().isTaken());
        assertTrue(honest("first").busy().isTaken());
        assertTrue(third("third").busy().isTaken());
        assertFalse(honest("second").busy().isTaken());
        assertDisplaced();
    }

    @Test
    void aHostWithMoreTakesNoIdleOneOfAnother() throws Exception {
        assertTrue(honest("idle").isTaken());
        for (var name : List.of("a", "b", "c")) {
            assertTrue(greedy(name).busy().isTaken());
        }
        assertFalse(greedy("d").busy().isTaken());
        assertDisplaced();
    }

    private void fill() throws Exception {
        shares = new ConnectionShares(MAX, Duration.ofHours(1));
        for (var name : List.of("a", "b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
    }

    /** Method: a thread that is interrupted cannot wait, and says so. */
    @Test
    void aNewConnectionWaitsUntilTheOneThatMakesRoomHasEnded() throws Exception {
        fill();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, honest("e")::isTaken);
        assertEquals(List.of("a"), displaced);
        assertEquals(MAX - 1, shares.count(), "the interrupted one has none");
        assertEquals(1, shares.ending());
        Thread.currentThread().interrupt();
        // There is a place less, until the other one has ended.
        assertThrows(InterruptedException.class, honest("f")::isTaken);
    }

    @Test
    void aConnectionThatHasEndedLetsTheNextOneIn() throws Exception {
        fill();
        ending = held -> Thread.startVirtualThread(() -> shares.giveBack(held.host, held));
        assertTrue(honest("e").isTaken());
        assertDisplaced("a");
        assertEquals(0, shares.ending());
    }

    @Test
    void aConnectionThatDoesNotEndInTimeKeepsNobodyOut() throws Exception {
        for (var name : List.of("a", "b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
        assertTrue(honest("e").isTaken());
        assertDisplaced("a");
        assertEquals(1, shares.ending());
    }

    @Test
    void whatHasMadeRoomGivesNothingElseBack() throws Exception {
        var first = greedy("a");
        assertTrue(first.isTaken());
        for (var name : List.of("b", "c", "d")) {
            assertTrue(greedy(name).isTaken());
        }
        assertTrue(honest("e").isTaken());
        shares.giveBack(first.host, first);
        assertDisplaced("a");
        assertEquals(0, shares.ending());
    }
}
