package io.github.rpcrdma4j.oncrpc.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.tcp.ClientQuotas.Admission;
import io.github.rpcrdma4j.oncrpc.tcp.ClientQuotas.Connection;
import io.github.rpcrdma4j.oncrpc.tcp.ClientQuotas.Quota;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Goal: hosts of one network of IPv6, which are one client, do not keep each other out. Method:
 * connections that are values of the test.
 */
class ClientQuotasTest {
    private static final int OF_CLIENT = 8;
    private static final Duration LONG = Duration.ofMinutes(6);
    private static final String HOSTILE = "fd00:77::3";
    private static final String HONEST = "fd00:77::2";
    private static final String ANOTHER = "fd00:77::4";

    private ClientQuotas quotas = quotas(100);
    private long now;

    private static ClientQuotas quotas(int connectionsMax) {
        var options =
                new TcpRpcOptions(
                        connectionsMax, OF_CLIENT, 8, 8, 4, 64, 1 << 20, 1 << 20, LONG, LONG);
        return new ClientQuotas(options, 1 << 20);
    }

    private final class Made implements Connection {
        final InetSocketAddress from;
        final Quota quota;
        boolean isBusy;
        long lastActivity = ++now;

        Made(String from, Quota quota) {
            this.quota = quota;
            this.from = new InetSocketAddress(InetAddress.ofLiteral(from), 1023);
        }

        @Override
        public Quota quota() {
            return quota;
        }

        @Override
        public InetSocketAddress address() {
            return from;
        }

        @Override
        public boolean isBusy() {
            return isBusy;
        }

        @Override
        public long lastActivity() {
            return lastActivity;
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void look(long nowNanos) {
            // It is not.
        }

        @Override
        public void close() {
            // It has no socket.
        }
    }

    private Optional<Admission> admit(String from) {
        var address = new InetSocketAddress(InetAddress.ofLiteral(from), 1023);
        return quotas.admit(ClientAddress.of(address), address);
    }

    private Made add(String from, boolean isBusy) {
        var made = new Made(from, admit(from).orElseThrow().quota());
        made.isBusy = isBusy;
        quotas.add(made);
        return made;
    }

    private List<Made> add(int count, String from, boolean isBusy) {
        var all = new ArrayList<Made>();
        for (int i = 0; i < count; i++) {
            all.add(add(from, isBusy));
        }
        return all;
    }

    private Connection displaced(String by) {
        return admit(by).orElseThrow().displaced().orElseThrow();
    }

    /** Their calls count, until they end or hang, which the server finds. */
    @Test
    void connectionsThatCountNoLongerAreLookedAtWhileCallsAreInProgress() {
        var removed = add(HOSTILE, true);
        var evicted = add(HOSTILE, true);
        quotas.remove(removed);
        assertEquals(Optional.of(evicted), quotas.evictLongestIdle());
        assertEquals(0, quotas.size());
        assertEquals(Set.of(removed, evicted), Set.copyOf(quotas.ended()));
        removed.isBusy = false;
        assertEquals(List.of(evicted), quotas.ended());
    }

    @Test
    void aNeighborGetsTheLongestIdleConnectionOfTheAddressWithTheMost() {
        var honest = add(HONEST, false);
        var hostile = add(OF_CLIENT - 1, HOSTILE, false);
        hostile.getFirst().lastActivity = ++now;
        assertEquals(hostile.get(1), displaced(ANOTHER));
        assertEquals(OF_CLIENT - 1, quotas.size());
        assertTrue(quotas.connections().contains(honest));
    }

    @Test
    void aNeighborGetsABusyConnectionOfAnAddressWithMoreThanItsOwn() {
        var honest = add(HONEST, false);
        var hostile = add(OF_CLIENT - 1, HOSTILE, true);
        assertEquals(hostile.getFirst(), displaced(HONEST));
        assertTrue(quotas.connections().contains(honest));
    }

    @Test
    void anAddressWithTheMostDisplacesItsOwnIdleConnectionsAlone() {
        add(HONEST, false);
        var hostile = add(OF_CLIENT - 1, HOSTILE, true);
        assertFalse(admit(HOSTILE).isPresent());
        hostile.getLast().isBusy = false;
        assertEquals(hostile.getLast(), displaced(HOSTILE));
    }

    @Test
    void atTheLimitOfAllTheAddressWithTheMostLosesOne() {
        quotas = quotas(OF_CLIENT);
        add(HONEST, false);
        add("192.0.2.1", false);
        var hostile = add(OF_CLIENT - 2, HOSTILE, false);
        var another = new Made("192.0.2.2", admit("192.0.2.2").orElseThrow().quota());
        assertEquals(Optional.of(hostile.getFirst()), quotas.add(another));
    }

    /**
     * In each order of connections, a host with fewer connections than another one keeps them, and
     * gets one.
     */
    @Test
    void noHostTakesTheLastConnectionOfANeighborWhileSomeHostHasTwo() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            quotas = quotas(100);
            for (int step = 0; step < 60; step++) {
                var from = "fd00:77::" + Integer.toHexString(random.nextInt(1, 6));
                var before = new HashSet<>(quotas.connections());
                var admission = admit(from);
                if (admission.isEmpty()) {
                    assertTrue(count(before, from) > 0, () -> "seed " + seed);
                    continue;
                }
                admission
                        .get()
                        .displaced()
                        .ifPresent(
                                gone -> {
                                    int most =
                                            before.stream()
                                                    .mapToInt(each -> count(before, text(each)))
                                                    .max()
                                                    .orElseThrow();
                                    assertEquals(
                                            most, count(before, text(gone)), () -> "seed " + seed);
                                });
                var made = new Made(from, admission.get().quota());
                made.isBusy = random.nextBoolean();
                quotas.add(made);
                assertTrue(quotas.size() <= OF_CLIENT, () -> "seed " + seed);
            }
        }
    }

    private Quota quota(String of) {
        return add(of, true).quota();
    }

    /** Starts calls until none may start, and returns how many. */
    private static int start(Quota quota) {
        int calls = 0;
        while (quota.tryStartCall()) {
            calls++;
        }
        return calls;
    }

    /** Counts calls as hanging until none may be, and returns how many. */
    private static int hang(Quota quota) {
        int calls = 0;
        while (quota.countHanging()) {
            calls++;
            assertTrue(quota.tryStartCall());
        }
        return calls;
    }

    /** A client may have 8 calls, and all of them 8, but each 2. So 16 of one may hang, and 32. */
    @Test
    void callsThatHangDoNotCountUpToABoundOfTheClientAndOneOfAll() {
        var one = quota("192.0.2.1");
        assertEquals(8, start(one));
        assertEquals(16, hang(one));
        assertEquals(0, start(one));
        var two = quota("192.0.2.2");
        assertEquals(ClientQuotas.CALLS_RESERVED, start(two));
        end(one, 8);
        assertEquals(6, start(two));
        assertEquals(16, hang(two));
        // The bound of all is reached.
        end(two, 8);
        var three = quota("192.0.2.3");
        assertEquals(8, start(three));
        assertFalse(three.countHanging());
        one.endHanging();
        assertTrue(three.countHanging());
        assertFalse(three.countHanging());
        assertEquals(1, start(three));
    }

    private static void end(Quota quota, int calls) {
        for (int i = 0; i < calls; i++) {
            quota.endCall();
        }
    }

    @Test
    void aClientStaysWhileOneOfItsCallsHangs() {
        var made = add("192.0.2.1", true);
        assertTrue(made.quota.tryStartCall());
        assertTrue(made.quota.countHanging());
        quotas.remove(made);
        assertEquals(1, quotas.clients());
        made.quota.endHanging();
        assertEquals(0, quotas.clients());
    }

    private static int count(Set<Connection> all, String address) {
        return all.stream()
                .filter(each -> text(each).equals(address(address)))
                .collect(Collectors.toSet())
                .size();
    }

    private static String text(Connection connection) {
        return connection.address().getAddress().getHostAddress();
    }

    private static String address(String text) {
        return InetAddress.ofLiteral(text).getHostAddress();
    }
}
