package io.github.rpcrdma4j.nfs.client.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: a copy grants the group of its file no more than the file did, with lists and without. */
class LocalSourceTest {
    private static final int ALL = 7;

    /** What the list of a file lets its group do; this value stands for no list. */
    private static final int NO_LIST = ALL + 1;

    /**
     * Returns a file.
     *
     * @param mask the bits of the group in the mode, which are the mask of a list
     */
    private static LocalSource file(int mask, int group) {
        var status =
                new LocalStatus(
                        FileType.REGULAR,
                        0600 | mask << 3,
                        1,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Instant.EPOCH);
        if (group == NO_LIST) {
            return new LocalSource(status, ExtendedAcls.NONE);
        }
        var list =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, 6),
                                new Entry(Tag.USER, 4242, 6),
                                new Entry(Tag.GROUP_OBJ, group),
                                new Entry(Tag.MASK, mask),
                                new Entry(Tag.OTHER, 0)));
        return new LocalSource(status, new ExtendedAcls(Optional.of(list), Optional.empty()));
    }

    private static int ofGroup(int mask, int group) {
        return group == NO_LIST ? mask : mask & group;
    }

    private static void check(int mask, int group, int maskNow, int groupNow, int granted) {
        var now = file(maskNow, groupNow);
        var kept = file(mask, group).narrowed(now, 0700 | granted << 3);
        int common = mask & granted & maskNow;
        // The list of the file now is that of a file that grants what it grants now.
        boolean isAsNow = common == maskNow;
        int expected =
                isAsNow ? maskNow : common & ofGroup(mask, group) & ofGroup(maskNow, groupNow);
        assertEquals(0600 | expected << 3, kept.status().mode());
        assertEquals(isAsNow ? now.acls() : ExtendedAcls.NONE, kept.acls());
    }

    /** All bits of the group in the mode and in the list, before and now. */
    @Test
    void theGroupGetsWhatBothModesAndBothListsGrant() {
        for (int mask = 0; mask <= ALL; mask++) {
            for (int group = 0; group <= NO_LIST; group++) {
                for (int maskNow = 0; maskNow <= ALL; maskNow++) {
                    for (int groupNow = 0; groupNow <= NO_LIST; groupNow++) {
                        for (int granted = 0; granted <= ALL; granted++) {
                            check(mask, group, maskNow, groupNow, granted);
                        }
                    }
                }
            }
        }
    }
}
