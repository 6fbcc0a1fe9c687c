package io.github.rpcrdma4j.nfs.client.v4.v40;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole table of states and statuses. */
class LeaseStateTest {
    @ParameterizedTest
    @CsvSource({
        "STALE_STATEID,  DOUBTED,   DOUBTED,   MOVED,     FORGOTTEN, EXPIRED",
        "CB_PATH_DOWN,   MOVED,     MOVED,     MOVED,     FORGOTTEN, EXPIRED",
        "STALE_CLIENTID, FORGOTTEN, FORGOTTEN, FORGOTTEN, FORGOTTEN, EXPIRED",
        "EXPIRED,        EXPIRED,   EXPIRED,   EXPIRED,   FORGOTTEN, EXPIRED",
    })
    void aStatusSaysWhatBecameOfTheLease(
            Nfs4Status status,
            LeaseState held,
            LeaseState doubted,
            LeaseState moved,
            LeaseState forgotten,
            LeaseState expired) {
        assertEquals(held, LeaseState.HELD.after(status));
        assertEquals(doubted, LeaseState.DOUBTED.after(status));
        assertEquals(moved, LeaseState.MOVED.after(status));
        assertEquals(forgotten, LeaseState.FORGOTTEN.after(status));
        assertEquals(expired, LeaseState.EXPIRED.after(status));
    }

    @Test
    void otherStatusesSayNothingOfIt() {
        var ofLease =
                EnumSet.of(
                        Nfs4Status.STALE_STATEID,
                        Nfs4Status.CB_PATH_DOWN,
                        Nfs4Status.STALE_CLIENTID,
                        Nfs4Status.EXPIRED);
        for (var status : EnumSet.complementOf(ofLease)) {
            for (var state : LeaseState.values()) {
                assertEquals(state, state.after(status));
            }
        }
    }

    @Test
    void aRenewalEndsADoubtAlone() {
        for (var state : LeaseState.values()) {
            assertEquals(state == LeaseState.DOUBTED ? LeaseState.HELD : state, state.renewed());
        }
        var introduced = EnumSet.of(LeaseState.HELD, LeaseState.DOUBTED);
        for (var state : LeaseState.values()) {
            assertEquals(introduced.contains(state), state.isIntroduced());
        }
    }
}
