package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContextStoreTest {
    private static final long LONG = ContextStore.LIFETIME_NANOS;

    private final ContextStore<String> store = new ContextStore<>();

    private static ClientAddress client(int number) {
        return ClientAddress.of(InetAddress.ofLiteral("10.0.0." + number));
    }

    private List<String> establish(long handle, String principal, String context, long now) {
        return store.establish(handle, principal, context, LONG, now);
    }

    @Test
    void findsWhatItKeeps() {
        assertEquals(List.of(), store.negotiate(1, client(1), "one", 0));
        assertEquals(Optional.of("one"), store.find(1, 1));
        assertEquals(List.of(), establish(1, "alice", "one", 2));
        assertEquals(1, store.size());
        assertTrue(store.holds(1));
        assertEquals(Optional.empty(), store.find(2, 3));
        store.remove(1);
        assertFalse(store.holds(1));
        assertEquals(0, store.size());
    }

    @Test
    void aPrincipalMakesRoomByTheContextThatWasIdleForLongest() {
        for (int i = 0; i < ContextStore.PRINCIPAL_MAX; i++) {
            assertEquals(List.of(), establish(i, "alice", "context " + i, i));
        }
        store.find(0, 5000);
        assertEquals(List.of("context 1"), establish(-1, "alice", "another", 5000));
        assertEquals(ContextStore.PRINCIPAL_MAX, store.size());
        assertEquals(Optional.of("context 0"), store.find(0, 5000));
    }

    @Test
    void fiveThousandContextsOfOnePrincipalCostItsOwnAlone() {
        establish(-1, "bob", "of bob", 0);
        for (int i = 0; i < 5000; i++) {
            establish(i, "alice", "context " + i, i);
        }
        assertEquals(ContextStore.PRINCIPAL_MAX + 1, store.size());
        assertEquals(Optional.of("of bob"), store.find(-1, 5000));
        assertEquals(Optional.of("context 4999"), store.find(4999, 5000));
    }

    @Test
    void thePrincipalWithTheMostMakesRoomForOthers() {
        establish(-1, "bob", "of bob", 0);
        int handle = 0;
        for (int p = 0; p < 2 * ContextStore.ESTABLISHED_MAX / ContextStore.PRINCIPAL_MAX; p++) {
            for (int i = 0; i < ContextStore.PRINCIPAL_MAX; i++) {
                establish(handle++, "mallory " + p, "context", handle);
            }
        }
        assertEquals(ContextStore.ESTABLISHED_MAX, store.size());
        assertEquals(Optional.of("of bob"), store.find(-1, handle));
    }

    @Test
    void letsThoseWhoOnlyBeginCostNoOther() {
        establish(-1, "alice", "established", 0);
        store.negotiate(-2, client(2), "begun by another", 0);
        for (int i = 0; i < ContextStore.CLIENT_NEGOTIATING_MAX; i++) {
            assertEquals(List.of(), store.negotiate(i, client(1), "begun " + i, i));
        }
        assertEquals(List.of("begun 0"), store.negotiate(1000, client(1), "begun", 1000));
        assertEquals(Optional.of("established"), store.find(-1, 1000));
        assertEquals(Optional.of("begun by another"), store.find(-2, 1000));
    }

    @Test
    void boundsWhatManyClientsBegin() {
        store.negotiate(-2, client(250), "begun by another", 0);
        for (int i = 0; i < 3 * ContextStore.NEGOTIATING_MAX; i++) {
            store.negotiate(i, client(i % 40), "begun", i);
        }
        assertEquals(ContextStore.NEGOTIATING_MAX, store.size());
        assertEquals(Optional.of("begun by another"), store.find(-2, 1000));
    }

    @Test
    void letsContextsAge() {
        long idle = ContextStore.IDLE_NANOS;
        establish(1, "alice", "used", 0);
        for (long now = 0; now < LONG; now += idle / 4) {
            assertEquals(Optional.of("used"), store.find(1, now));
        }
        assertEquals(Optional.empty(), store.find(1, LONG));
        assertEquals(List.of("used"), establish(2, "alice", "idle", LONG));
        assertEquals(Optional.empty(), store.find(2, LONG + idle));
        assertEquals(List.of("idle"), store.evictExpired(LONG + idle));
    }

    @Test
    void letsContextsEndWithTheirTickets() {
        long life = 2 * ContextStore.LEAST_LIFETIME_NANOS;
        store.establish(1, "alice", "short", life, 0);
        establish(2, "alice", "long", 0);
        store.establish(3, "alice", "at its end", 0, 0);
        long least = ContextStore.LEAST_LIFETIME_NANOS;
        assertEquals(Optional.of("at its end"), store.find(3, least - 1));
        assertEquals(Optional.empty(), store.find(3, least));
        assertEquals(Optional.of("short"), store.find(1, life - 1));
        assertEquals(Optional.empty(), store.find(1, life));
        assertEquals(Optional.of("long"), store.find(2, life));
    }

    @Test
    void letsNegotiationsAgeFaster() {
        store.negotiate(1, client(1), "slow", 0);
        assertEquals(Optional.of("slow"), store.find(1, ContextStore.NEGOTIATION_NANOS - 1));
        assertEquals(Optional.empty(), store.find(1, ContextStore.NEGOTIATION_NANOS));
        assertEquals(List.of("slow"), store.evictExpired(ContextStore.NEGOTIATION_NANOS));
    }

    @Test
    void givesAllBackAtTheEnd() {
        store.negotiate(1, client(1), "one", 0);
        establish(2, "alice", "two", 0);
        assertEquals(List.of("two", "one"), store.clear());
        assertEquals(0, store.size());
    }
}
