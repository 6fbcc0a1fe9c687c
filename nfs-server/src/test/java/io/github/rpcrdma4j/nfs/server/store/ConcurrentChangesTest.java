package io.github.rpcrdma4j.nfs.server.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConcurrentChangesTest {
    private static final String FILE = "file";
    private static final String OTHER = "other";

    private final ConcurrentChanges<String> overlaps = new ConcurrentChanges<>();

    @Test
    void aChangeIsAloneUntilAnotherBegins() {
        var first = overlaps.begin(FILE);
        assertTrue(first.isAlone());
        var second = overlaps.begin(FILE);
        assertFalse(first.isAlone());
        assertFalse(second.isAlone());
        first.close();
        assertFalse(second.isAlone());
        var third = overlaps.begin(FILE);
        second.close();
        assertFalse(third.isAlone());
        third.close();
        assertEquals(0, overlaps.files());
    }

    @Test
    void changesOneAfterTheOtherAreAlone() {
        try (var change = overlaps.begin(FILE)) {
            assertTrue(change.isAlone());
        }
        try (var change = overlaps.begin(FILE)) {
            assertTrue(change.isAlone());
        }
        assertEquals(0, overlaps.files());
    }

    @Test
    void changesOfTwoFilesDoNotMeet() {
        try (var change = overlaps.begin(FILE);
                var other = overlaps.begin(OTHER)) {
            assertTrue(change.isAlone());
            assertTrue(other.isAlone());
            assertEquals(2, overlaps.files());
        }
    }
}
