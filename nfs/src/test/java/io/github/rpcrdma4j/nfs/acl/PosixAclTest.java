package io.github.rpcrdma4j.nfs.acl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PosixAclTest {
    private static final Entry OWNER = new Entry(Tag.USER_OBJ, 7);
    private static final Entry USER = new Entry(Tag.USER, 1000, 6);
    private static final Entry HIGHEST_USER = new Entry(Tag.USER, -2, 6);
    private static final Entry GROUP_OBJ = new Entry(Tag.GROUP_OBJ, 5);
    private static final Entry GROUP = new Entry(Tag.GROUP, 1000, 4);
    private static final Entry MASK = new Entry(Tag.MASK, 4);
    private static final Entry OTHER = new Entry(Tag.OTHER, 1);

    @Test
    void entriesGetTheirOrder() {
        var acl = new PosixAcl(List.of(HIGHEST_USER, OTHER, MASK, GROUP, GROUP_OBJ, USER, OWNER));
        assertEquals(
                List.of(OWNER, USER, HIGHEST_USER, GROUP_OBJ, GROUP, MASK, OTHER), acl.entries());
    }

    @Test
    void listsWithoutARequiredEntryAreInvalid() {
        assertTrue(PosixAcl.isValid(List.of(OWNER, GROUP_OBJ, OTHER)));
        assertTrue(PosixAcl.isValid(List.of(OWNER, GROUP_OBJ, MASK, OTHER)));
        assertFalse(PosixAcl.isValid(List.of()));
        assertFalse(PosixAcl.isValid(List.of(GROUP_OBJ, OTHER)));
        assertFalse(PosixAcl.isValid(List.of(OWNER, OTHER)));
        assertFalse(PosixAcl.isValid(List.of(OWNER, GROUP_OBJ)));
    }

    @Test
    void namedUsersAndGroupsRequireAMask() {
        assertFalse(PosixAcl.isValid(List.of(OWNER, USER, GROUP_OBJ, OTHER)));
        assertFalse(PosixAcl.isValid(List.of(OWNER, GROUP_OBJ, GROUP, OTHER)));
        assertTrue(PosixAcl.isValid(List.of(OWNER, USER, GROUP_OBJ, GROUP, MASK, OTHER)));
    }

    @Test
    void noEntryOccursTwice() {
        var valid = List.of(OWNER, USER, GROUP_OBJ, GROUP, MASK, OTHER);
        for (var twice : valid) {
            var entries = new ArrayList<>(valid);
            entries.add(new Entry(twice.tag(), twice.id(), 0));
            assertFalse(PosixAcl.isValid(entries), twice.tag() + " twice");
            assertThrows(IllegalArgumentException.class, () -> new PosixAcl(entries));
        }
    }

    @Test
    void theNumberOfEntriesIsBounded() {
        var entries = new ArrayList<>(List.of(OWNER, GROUP_OBJ, MASK, OTHER));
        for (int uid = 0; entries.size() < PosixAcl.ENTRIES_MAX; uid++) {
            entries.add(new Entry(Tag.USER, uid, 0));
        }
        assertTrue(PosixAcl.isValid(entries));
        entries.add(GROUP);
        assertFalse(PosixAcl.isValid(entries));
    }

    @Test
    void entriesHaveAnIdExactlyIfTheirTagNeedsOne() {
        for (var tag : Tag.values()) {
            int wrong = tag.hasId() ? PosixAcl.NO_ID : 1000;
            assertThrows(IllegalArgumentException.class, () -> new Entry(tag, wrong, 0));
        }
        assertThrows(IllegalArgumentException.class, () -> new Entry(Tag.OTHER, 8));
    }

    @Test
    void aModeBecomesThreeEntriesAndBack() {
        for (int mode = 0; mode < 01000; mode++) {
            var acl = PosixAcl.ofMode(mode);
            assertTrue(acl.isMode());
            assertEquals(mode, acl.mode());
        }
        assertEquals(PosixAcl.ofMode(0751), PosixAcl.ofMode(04751));
    }

    @Test
    void theMaskIsTheGroupDigitOfTheMode() {
        var acl = new PosixAcl(List.of(OWNER, GROUP_OBJ, MASK, OTHER));
        assertEquals(0741, acl.mode());
        assertFalse(acl.isMode());
    }
}
