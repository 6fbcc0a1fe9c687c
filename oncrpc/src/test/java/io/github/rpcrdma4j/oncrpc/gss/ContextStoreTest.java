package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ContextStoreTest {
    private final ContextStore<String> store = new ContextStore<>();

    @Test
    void findsWhatItKeeps() {
        assertEquals(List.of(), store.negotiate(1, "one", 0));
        assertEquals(Optional.of("one"), store.find(1, 1));
        assertEquals(List.of(), store.establish(1, "one", 2));
        assertEquals(1, store.size());
        assertTrue(store.holds(1));
        assertEquals(Optional.empty(), store.find(2, 3));
        store.remove(1);
        assertFalse(store.holds(1));
        assertEquals(0, store.size());
    }

    @Test
    void makesRoomByTheOneThatWasIdleForLongest() {
        for (int i = 0; i < ContextStore.ESTABLISHED_MAX; i++) {
            assertEquals(List.of(), store.establish(i, "context " + i, i));
        }
        store.find(0, 5000);
        assertEquals(List.of("context 1"), store.establish(-1, "another", 5000));
        assertEquals(ContextStore.ESTABLISHED_MAX, store.size());
        assertEquals(Optional.of("context 0"), store.find(0, 5000));
    }

    @Test
    void letsThoseWhoOnlyBeginCostNobodyElse() {
        store.establish(-1, "established", 0);
        for (int i = 0; i < ContextStore.NEGOTIATING_MAX; i++) {
            assertEquals(List.of(), store.negotiate(i, "begun " + i, i));
        }
        assertEquals(List.of("begun 0"), store.negotiate(1000, "begun", 1000));
        assertEquals(Optional.of("established"), store.find(-1, 1000));
    }

    @Test
    void letsContextsAge() {
        long idle = ContextStore.IDLE_NANOS;
        store.establish(1, "used", 0);
        store.establish(2, "idle", 0);
        assertEquals(Optional.of("used"), store.find(1, idle - 1));
        assertEquals(Optional.empty(), store.find(2, idle));
        assertEquals(List.of("idle"), store.shed(idle));
        for (long now = idle; now < ContextStore.LIFETIME_NANOS; now += idle / 2) {
            assertEquals(Optional.of("used"), store.find(1, now));
        }
        assertEquals(Optional.empty(), store.find(1, ContextStore.LIFETIME_NANOS));
    }

    @Test
    void letsNegotiationsAgeFaster() {
        store.negotiate(1, "slow", 0);
        assertEquals(Optional.of("slow"), store.find(1, ContextStore.NEGOTIATION_NANOS - 1));
        assertEquals(Optional.empty(), store.find(1, ContextStore.NEGOTIATION_NANOS));
        assertEquals(List.of("slow"), store.shed(ContextStore.NEGOTIATION_NANOS));
    }

    @Test
    void givesAllBackAtTheEnd() {
        store.negotiate(1, "one", 0);
        store.establish(2, "two", 0);
        assertEquals(List.of("two", "one"), store.clear());
        assertEquals(0, store.size());
    }
}
