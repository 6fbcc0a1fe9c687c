package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import org.junit.jupiter.api.Test;

class OverlapsTest {
    private static final FileHandle FILE = new FileHandle(new byte[] {1});
    private static final FileHandle OTHER = new FileHandle(new byte[] {2});

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
