package io.github.rpcrdma4j.oncrpc.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: no client keeps lines about others out of the log. */
class LoggedKindsTest {
    private static final int MAX = 64;
    private static final long SILENCE = 60;

    private final LoggedKinds kinds = new LoggedKinds(MAX, SILENCE);

    /** Returns how many of 1000 kinds of a client are logged. */
    private int fill(Object client, long now) {
        int logged = 0;
        for (int i = 0; i < 1000; i++) {
            logged += kinds.isNewOf(client, "kind " + i, now) ? 1 : 0;
        }
        return logged;
    }

    @Test
    void aKindIsNewAgainAfterTheSilence() {
        long start = Long.MAX_VALUE - 5;
        assertTrue(kinds.isNewOf("a", "kind", start));
        assertFalse(kinds.isNewOf("a", "kind", start + SILENCE - 1));
        assertTrue(kinds.isNewOf("b", "kind", start + SILENCE - 1));
        assertTrue(kinds.isNewOf("a", "kind", start + SILENCE));
        assertFalse(kinds.isNewOf("a", "kind", start + SILENCE + 1));
    }

    @Test
    void aClientHasAQuarterOfWhatTheOthersLeave() {
        assertEquals(16, fill("a", 0));
        assertEquals(12, fill("b", 0));
        assertEquals(9, fill("c", 0));
        assertEquals(16, fill("a", SILENCE));
    }

    @Test
    void manyClientsHaveALineEachButNoMoreThanTheLimit() {
        fill("a", 0);
        int logged = 0;
        for (int i = 0; i < 1000; i++) {
            logged += kinds.isNewOf("client " + i, "kind", 0) ? 1 : 0;
        }
        assertEquals(MAX - 16, logged);
    }

    @Test
    void linesOfThisSideMayTakeAllPlaces() {
        int logged = 0;
        for (int i = 0; i < 1000; i++) {
            logged += kinds.isNew("failure " + i, 0) ? 1 : 0;
        }
        assertEquals(MAX, logged);
    }
}
