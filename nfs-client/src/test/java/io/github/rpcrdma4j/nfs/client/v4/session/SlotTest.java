package io.github.rpcrdma4j.nfs.client.v4.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole table of states and outcomes. */
class SlotTest {
    private static final int N = 7;

    private static Slot slot(String text) {
        var words = text.split(" ");
        return new Slot(
                State.valueOf(words[0]),
                N + Integer.parseInt(words[1]),
                words.length == 3 && words[2].equals("again"));
    }

    @ParameterizedTest
    @CsvSource({
        "SUCCEEDED, FREE 1,     FREE 1,           FREE 1",
        "DELAYED,   SENT 0,     PROBING 0,        PROBING 0 again",
        "SPENT,     IN_DOUBT 1, IN_DOUBT 1,       IN_DOUBT 1",
        "REFUSED,   FREE 0,     IN_DOUBT 0,       IN_DOUBT 0 again",
        "NO_SLOT,   RETIRED 0,  RETIRED 0,        RETIRED 0",
        "DISORDER,  IN_DOUBT 0, PROBING -1 again, LOST 0 again",
        "UNBOUND,   SENT 0,     PROBING 0,        PROBING 0 again",
        "CUT,       SENT 0,     IN_DOUBT 0,       IN_DOUBT 0 again",
        "UNKNOWN,   IN_DOUBT 0, IN_DOUBT 0,       IN_DOUBT 0 again",
        "UNSENT,    FREE 0,     IN_DOUBT 0,       IN_DOUBT 0 again",
    })
    void eachOutcomeOfACallAndOfAProbeHasOneMeaning(
            Outcome outcome, String sent, String probing, String again) {
        assertEquals(slot(sent), new Slot(State.SENT, N, false).after(outcome));
        assertEquals(slot(probing), new Slot(State.PROBING, N, false).after(outcome));
        assertEquals(slot(again), new Slot(State.PROBING, N, true).after(outcome));
    }

    @ParameterizedTest
    @EnumSource
    void onlyACallOrAProbeHasAnOutcome(State state) {
        var slot = new Slot(state, N, false);
        if (!EnumSet.of(State.SENT, State.PROBING).contains(state)) {
            for (var outcome : Outcome.values()) {
                assertThrows(IllegalStateException.class, () -> slot.after(outcome));
            }
        }
        if (state != State.FREE) {
            assertThrows(IllegalStateException.class, slot::taken);
        }
        if (state != State.IN_DOUBT) {
            assertThrows(IllegalStateException.class, slot::probed);
        }
    }

    @Test
    void aCallTakesAFreeSlotAndAProbeOneInDoubt() {
        assertEquals(new Slot(State.SENT, 1, false), Slot.NEW.taken());
        assertEquals(new Slot(State.PROBING, N, true), new Slot(State.IN_DOUBT, N, true).probed());
    }

    /** RFC 8881, Section 2.10.6.1: the number follows 2^32 - 1 by 0. */
    @Test
    void numbersStartAgainBehindTheLargest() {
        assertEquals(
                new Slot(State.FREE, 0, false),
                new Slot(State.SENT, -1, false).after(Outcome.SUCCEEDED));
    }

    @ParameterizedTest
    @EnumSource
    void aStatusOfSequenceSaysWhatBecameOfTheSlot(Nfs4Status status) {
        var expected =
                switch (status) {
                    case DELAY -> Outcome.DELAYED;
                    case RETRY_UNCACHED_REP, SEQ_FALSE_RETRY -> Outcome.SPENT;
                    case BADSLOT -> Outcome.NO_SLOT;
                    case SEQ_MISORDERED -> Outcome.DISORDER;
                    case CONN_NOT_BOUND_TO_SESSION -> Outcome.UNBOUND;
                    default -> Outcome.REFUSED;
                };
        assertEquals(expected, Outcome.ofFailure(status));
    }
}
