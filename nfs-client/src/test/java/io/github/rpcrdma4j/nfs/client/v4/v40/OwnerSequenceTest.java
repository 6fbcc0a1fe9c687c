package io.github.rpcrdma4j.nfs.client.v4.v40;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.v4.v40.OwnerSequence.Event;
import io.github.rpcrdma4j.nfs.client.v4.v40.OwnerSequence.State;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole table of states and events. */
class OwnerSequenceTest {
    private static OwnerSequence at(State state) {
        var owner = new OwnerSequence();
        if (state != State.IDLE) {
            owner.begin();
        }
        if (state == State.GONE) {
            owner.end(Event.BAD_SEQID);
        }
        if (state == State.IN_DOUBT || state == State.REPEATED) {
            owner.end(Event.UNHEARD);
        }
        if (state == State.REPEATED) {
            owner.begin();
        }
        assertEquals(state, owner.state());
        assertEquals(0, owner.number());
        return owner;
    }

    @ParameterizedTest
    @CsvSource({
        "COUNTED,       IDLE,     1, IDLE,     1",
        "NOT_COUNTED,   IDLE,     0, IN_DOUBT, 0",
        "UNKNOWN_OWNER, IDLE,     0, GONE,     0",
        "BAD_SEQID,     GONE,     0, GONE,     0",
        "LEFT_OUT,      IDLE,     0, GONE,     0",
        "UNHEARD,       IN_DOUBT, 0, IN_DOUBT, 0",
    })
    void eachEndOfAnOperationHasOneMeaning(
            Event event, State sent, int number, State repeated, int numberOfRepeated) {
        var first = at(State.SENT);
        first.end(event);
        assertEquals(sent, first.state());
        assertEquals(number, first.number());
        var again = at(State.REPEATED);
        again.end(event);
        assertEquals(repeated, again.state());
        assertEquals(numberOfRepeated, again.number());
    }

    @ParameterizedTest
    @EnumSource
    void oneOperationIsUnderWayAtATime(State state) {
        var owner = at(state);
        switch (state) {
            case IDLE -> {
                owner.begin();
                assertEquals(State.SENT, owner.state());
            }
            case IN_DOUBT -> {
                owner.begin();
                assertEquals(State.REPEATED, owner.state());
            }
            case SENT, REPEATED, GONE -> assertThrows(IllegalStateException.class, owner::begin);
        }
        if (!EnumSet.of(State.SENT, State.REPEATED).contains(state)) {
            for (var event : Event.values()) {
                var ended = at(state);
                assertThrows(IllegalStateException.class, () -> ended.end(event));
            }
        }
    }

    /** RFC 7530, Section 9.1.7, names the statuses that do not count. */
    @ParameterizedTest
    @EnumSource
    void aStatusSaysWhatBecameOfTheNumber(Nfs4Status status) {
        var expected =
                switch (status) {
                    case BADXDR, RESOURCE, NOFILEHANDLE, MOVED -> Event.NOT_COUNTED;
                    case STALE_CLIENTID, STALE_STATEID, BAD_STATEID -> Event.UNKNOWN_OWNER;
                    case BAD_SEQID -> Event.BAD_SEQID;
                    default -> Event.COUNTED;
                };
        assertEquals(expected, Event.of(status));
    }

    @Test
    void numbersGoUpByOne() {
        var owner = new OwnerSequence();
        for (int i = 0; i < 5; i++) {
            assertEquals(i, owner.number());
            owner.begin();
            owner.end(Event.COUNTED);
        }
    }
}
