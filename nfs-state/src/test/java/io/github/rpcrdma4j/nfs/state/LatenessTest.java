package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER_FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.DelegateCall.Wish;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.table.Lateness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: clients that answer late let others wait for little more than a second in 30. */
class LatenessTest {
    private static final long MILLISECOND = SECOND / 1000;
    private static final int READ = 1;
    private static final int BOTH = 3;

    /** Answers that take so long, so far apart, and how many of them are accepted. */
    @ParameterizedTest
    @CsvSource({
        "0,0,-1",
        "100,0,-1",
        "101,0,1000",
        "150,0,20",
        "200,0,10",
        "600,0,2",
        "1100,0,1",
        "1101,0,0",
        "1900,0,0",
        "2000,0,0",
        "1100,30000,1",
        "1100,30001,-1",
        "200,2999,10",
        "200,3001,-1",
        "600,15000,2",
        "600,15001,-1",
    })
    void soManyAnswersAreNotTooMany(long millis, long apart, int accepted) {
        // The clock of the server may wrap around.
        long now = Long.MAX_VALUE - SECOND;
        var answers = new Lateness(SECOND, 30 * SECOND);
        var place = "late";
        int count = 0;
        while (count < 5000 && !answers.isTooMuch(place, now)) {
            now += count == 0 ? 0 : apart * MILLISECOND;
            answers.add(place, millis * MILLISECOND, now);
            count++;
        }
        assertEquals(accepted < 0 ? 5000 : accepted + 1, count);
        if (accepted >= 0) {
            assertTrue(answers.isTooMuch(place, now + 30 * SECOND));
            assertFalse(answers.isTooMuch(place, now + 30 * SECOND + 1));
        }
    }

    @Test
    void theClientsOfSuchAPlaceAreNotAskedAndGetNothingToWrite() {
        var server = StateServer.start();
        var late = server.client("late").answering();
        var asker = server.client("asker", "elsewhere").answering();
        late.delegated("owner", BOTH);
        assertFalse(asker.writer(FILE).orElseThrow().isLate());
        server.state.callbacks().asked(late.takeCallback(), 2 * SECOND, server.now);
        assertTrue(asker.writer(FILE).orElseThrow().isLate());
        var open = server.ok(late.open(OTHER_FILE, "owner", BOTH, 0));
        assertEquals(new Refused(Why.RESOURCE), late.delegate(OTHER_FILE, open, Wish.WRITE));
        server.ok(late.close(OTHER_FILE, open));
        var read = server.ok(late.open(OTHER_FILE, "owner", READ, 0));
        assertInstanceOf(Granted.class, late.delegate(OTHER_FILE, read, Wish.READ));
        var third = new StateServer.TestFile("third");
        var own = server.ok(asker.open(third, "owner", BOTH, 0));
        assertInstanceOf(Granted.class, asker.delegate(third, own, Wish.WRITE));
        server.pass(30 * SECOND + 1);
        assertFalse(asker.writer(FILE).orElseThrow().isLate());
    }

    /** Else it could destroy its clients, come back, and let others wait as long again. */
    @Test
    void aPlaceThatComesBackIsStillLate() {
        var server = StateServer.start();
        var late = server.client("late", "late host").answering();
        server.state.callbacks().asked(late.takeCallback(), 2 * SECOND, server.now);
        server.state.callbacks().end(late.takeCallback(), new Callback.Answered(7));
        server.ok(late.destroySession());
        server.ok(late.destroyClientId());
        var back = server.client("back", "late host").answering();
        var open = server.ok(back.open(FILE, "owner", BOTH, 0));
        assertEquals(new Refused(Why.RESOURCE), back.delegate(FILE, open, Wish.WRITE));
        server.pass(30 * SECOND + 1);
        assertInstanceOf(Granted.class, back.delegate(FILE, open, Wish.WRITE));
    }

    /** Whole table: how many other places were late since. */
    @ParameterizedTest
    @CsvSource({"0,0,true", "4095,0,true", "4096,0,false", "4095,1,true", "4096,1,true"})
    void soManyPlacesAreRemembered(int others, int again, boolean isKnown) {
        var answers = new Lateness(SECOND, 30 * SECOND);
        var place = "late";
        answers.add(place, 2 * SECOND, 0);
        for (int i = 1; i <= others; i++) {
            answers.add("other" + i, 2 * SECOND, i);
            if (i == again) {
                answers.add(place, 2 * SECOND, i);
            }
        }
        assertEquals(isKnown, answers.isTooMuch(place, others));
        assertEquals(others > 0, answers.isTooMuch("other" + others, others));
    }
}
