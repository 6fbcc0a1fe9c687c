package io.github.rpcrdma4j.nfs.server.store.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OverlapsTest {
    private static final Inode FILE = new Inode(1, 0);
    private static final Inode OTHER = new Inode(2, 0);

    private final Overlaps overlaps = new Overlaps();

    @Test
    void aChangeIsAloneUntilAnotherBegins() {
        var first = overlaps.begin(FILE);
        assertTrue(first.alone());
        var second = overlaps.begin(FILE);
        assertFalse(first.alone());
        assertFalse(second.alone());
        first.close();
        assertFalse(second.alone());
        var third = overlaps.begin(FILE);
        second.close();
        assertFalse(third.alone());
        third.close();
        assertEquals(0, overlaps.files());
    }

    @Test
    void changesOneAfterTheOtherAreAlone() {
        try (var change = overlaps.begin(FILE)) {
            assertTrue(change.alone());
        }
        try (var change = overlaps.begin(FILE)) {
            assertTrue(change.alone());
        }
        assertEquals(0, overlaps.files());
    }

    @Test
    void changesOfTwoFilesDoNotMeet() {
        try (var change = overlaps.begin(FILE);
                var other = overlaps.begin(OTHER)) {
            assertTrue(change.alone());
            assertTrue(other.alone());
            assertEquals(2, overlaps.files());
        }
    }
}
