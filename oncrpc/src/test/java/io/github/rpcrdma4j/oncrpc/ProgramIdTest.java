package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: an id consists of a program number and an unsigned range of versions. */
class ProgramIdTest {
    private static final int HIGHEST = -1;

    @Test
    void servesTheVersionsOfItsRange() {
        var id = new ProgramId(7, 2, 4);
        assertFalse(id.serves(1));
        assertTrue(id.serves(2));
        assertTrue(id.serves(4));
        assertFalse(id.serves(5));
        assertTrue(new ProgramId(7, 3, HIGHEST).serves(Integer.MIN_VALUE));
    }

    @Test
    void overlapsAProgramOfItsNumberWithAVersionInCommon() {
        var id = new ProgramId(7, 2, 4);
        assertTrue(id.overlaps(new ProgramId(7, 4, HIGHEST)));
        assertTrue(id.overlaps(new ProgramId(7, 1, 2)));
        assertFalse(id.overlaps(new ProgramId(7, 5, 6)));
        assertFalse(id.overlaps(new ProgramId(7, 1)));
        assertFalse(id.overlaps(new ProgramId(8, 2, 4)));
    }

    @Test
    void refusesARangeThatEndsBeforeItBegins() {
        assertThrows(IllegalArgumentException.class, () -> new ProgramId(7, HIGHEST, 1));
    }

    @Test
    void namesOneVersionAsOne() {
        assertEquals("version 2", ProgramId.versions(2, 2));
        assertEquals("versions 2 to 4294967295", ProgramId.versions(2, -1));
    }

    @Test
    void namesProgramsOfSitesInHexadecimalToo() {
        assertEquals("program 100003", ProgramId.name(100003));
        assertEquals("program 536870979 (0x20000043)", ProgramId.name(0x2000_0043));
        assertEquals("program 4294967295 (0xffffffff)", ProgramId.name(-1));
        assertEquals("program 100003 version 3 procedure 6", ProgramId.name(100003, 3, 6));
    }
}
