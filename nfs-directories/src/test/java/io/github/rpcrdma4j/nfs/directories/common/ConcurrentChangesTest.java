package io.github.rpcrdma4j.nfs.directories.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ConcurrentChangesTest {
    private static final String FILE = "file";
    private static final String OTHER = "other";

    private final ConcurrentChanges<String> changes = new ConcurrentChanges<>();

    @Test
    void aChangeIsAloneUntilAnotherBegins() {
        var first = changes.begin(FILE);
        assertTrue(first.isAlone());
        var second = changes.begin(FILE);
        assertFalse(first.isAlone());
        assertFalse(second.isAlone());
        first.close();
        assertFalse(second.isAlone());
        var third = changes.begin(FILE);
        second.close();
        assertFalse(third.isAlone());
        third.close();
        assertEquals(0, changes.files());
    }

    @Test
    void changesOneAfterTheOtherAreAlone() {
        try (var change = changes.begin(FILE)) {
            assertTrue(change.isAlone());
        }
        try (var change = changes.begin(FILE)) {
            assertTrue(change.isAlone());
        }
        assertEquals(0, changes.files());
    }

    @Test
    void changesOfTwoFilesDoNotMeet() {
        try (var change = changes.begin(FILE);
                var other = changes.begin(OTHER)) {
            assertTrue(change.isAlone());
            assertTrue(other.isAlone());
            assertEquals(2, changes.files());
        }
    }

    @Test
    void anObserverIsNoChange() {
        try (var change = changes.begin(FILE);
                var late = changes.observe(FILE)) {
            assertTrue(change.isAlone());
            assertFalse(late.isAlone());
        }
        try (var observer = changes.observe(FILE);
                var other = changes.observe(FILE)) {
            assertTrue(observer.isAlone());
            assertTrue(other.isAlone());
        }
        assertEquals(0, changes.files());
    }

    @Test
    void anObserverSeesChangesThatBeginAndEnd() {
        try (var observer = changes.observe(FILE)) {
            for (int i = 0; i < 2; i++) {
                try (var change = changes.begin(FILE)) {
                    assertTrue(change.isAlone());
                }
                assertFalse(observer.isAlone());
            }
            try (var later = changes.observe(FILE)) {
                assertTrue(later.isAlone());
            }
        }
        assertEquals(0, changes.files());
    }
}
