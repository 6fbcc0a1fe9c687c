package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action.Triers;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.table.TriedVerifiers;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: who guesses verifiers is believed none, for an hour; its neighbors are, and no flood of
 * addresses makes the server forget others, or takes memory without bound.
 */
class TriedVerifiersTest {
    private static final long HOUR = 3600 * SECOND;

    private final TriedVerifiers tried = new TriedVerifiers();
    private long lastVerifier;

    private static Sender at(String host, String place) {
        return new Sender(
                StateServer.ROOT,
                false,
                StateClient.newConnection(),
                new StateServer.TestHost(host),
                place);
    }

    /** Tries more verifiers, and returns what the last one was too many for. */
    private Set<Triers> tries(Sender sender, int number, long now) {
        Set<Triers> last = Set.of();
        for (int i = 0; i < number; i++) {
            assertEquals(Set.of(), last);
            last = tried.add(sender, ++lastVerifier, now);
        }
        return last;
    }

    @Test
    void triesAreForgottenAfterAnHour() {
        var sender = at("host", "place");
        assertEquals(Set.of(), tries(sender, TriedVerifiers.MAX, 0));
        assertEquals(Set.of(), tries(sender, 1, HOUR + 1));
        assertFalse(tried.areTooMany(sender, HOUR + 1));
        assertEquals(Set.of(Triers.PLACE), tries(sender, TriedVerifiers.MAX, HOUR + 2));
        assertTrue(tried.areTooMany(sender, HOUR + 2));
        assertEquals(Set.of(), tries(sender, 1, 2 * HOUR), "told once");
        assertTrue(tried.areTooMany(sender, 3 * HOUR), "an hour since the last one");
        assertFalse(tried.areTooMany(sender, 3 * HOUR + 1));
    }

    @Test
    void oneVerifierCountsOnce() {
        var sender = at("host", "place");
        for (int i = 0; i < 1000; i++) {
            assertEquals(Set.of(), tried.add(sender, 1, 0));
        }
        assertFalse(tried.areTooMany(sender, 0));
    }

    @Test
    void aNeighborThatTriedNothingIsBelieved() {
        assertEquals(Set.of(Triers.PLACE), tries(at("net", "evil"), TriedVerifiers.MAX + 1, 0));
        // One place alone does not use up what all may try.
        assertEquals(Set.of(), tries(at("net", "evil"), 1000, 0));
        assertEquals(Set.of(), tries(at("net", "other"), 1, 0));
        assertTrue(tried.areTooMany(at("net", "evil"), 0));
        assertFalse(tried.areTooMany(at("net", "other"), 0), "one machine with its name");
        assertFalse(tried.areTooMany(at("net", "honest"), 0));
    }

    /** With the addresses of a network, one may try no more than so many of all. */
    @Test
    void allPlacesOfAHostTogetherHaveALimitThatOnlyThoseFeelThatTried() {
        for (int i = 0; i < TriedVerifiers.HOST_MAX; i++) {
            assertEquals(Set.of(), tries(at("net", "evil " + i), 1, i));
        }
        long now = TriedVerifiers.HOST_MAX;
        assertFalse(tried.areTooMany(at("net", "evil 0"), now));
        assertEquals(Set.of(Triers.HOST), tries(at("net", "last"), 1, now));
        assertEquals(Set.of(), tries(at("net", "evil 1"), 1, now + 1), "told once");
        assertTrue(tried.areTooMany(at("net", "evil 0"), now + 1));
        assertTrue(tried.areTooMany(at("net", "last"), now + 1));
        assertFalse(tried.areTooMany(at("net", "honest"), now + 1));
        assertFalse(tried.areTooMany(at("other", "evil 0"), now + 1));
        assertFalse(tried.areTooMany(at("net", "last"), now + HOUR + 1), "its own is forgotten");
        assertEquals(Set.of(), tries(at("net", "evil 0"), 1, now + HOUR + 2));
        assertFalse(tried.areTooMany(at("net", "evil 0"), now + HOUR + 2), "so is that of the net");
    }

    @Test
    void aFloodOfAddressesMakesTheServerForgetNoOtherHost() {
        tries(at("host", "place"), TriedVerifiers.MAX + 1, 0);
        for (int i = 0; i < 10 * TriedVerifiers.PLACES_OF_HOST_MAX; i++) {
            tried.add(at("net", "evil " + i), i, 1);
        }
        assertTrue(tried.areTooMany(at("host", "place"), 1));
        assertEquals(TriedVerifiers.PLACES_OF_HOST_MAX + 1, tried.places());
    }

    @Test
    void thePlacesOfAllHostsAreBounded() {
        for (int i = 0; i < 2 * TriedVerifiers.PLACES_MAX; i++) {
            tried.add(at("host " + i % 100, "place " + i), i, 0);
            assertEquals(Math.min(i + 1, TriedVerifiers.PLACES_MAX), tried.places());
        }
        for (int i = 0; i < 100; i++) {
            tried.add(at("later", "place"), 1, HOUR + 1);
        }
        assertEquals(1, tried.places());
    }
}
