package io.github.rpcrdma4j.interop.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * Goal: shared blocks are those that the file system lists as shared. The listings are of {@code
 * filefrag} of e2fsprogs 1.47.0 for files on an xfs.
 */
class ReflinksTest {
    private static final String HEAD =
            """
            Filesystem type is: 58465342
            File size of m/clone is 3000001 (733 blocks of 4096 bytes)
             ext:     logical_offset:        physical_offset: length:   expected: flags:
            """;

    @Test
    void countsTheBlocksOfACloneAsShared() {
        var listed =
                HEAD
                        + """
                           0:        0..     732:         24..       756:    733:             last,shared,eof
                        m/clone: 1 extent found
                        """;
        assertEquals(733, Reflinks.sharedBlocks(listed));
    }

    @Test
    void countsOnlySharedExtentsOfSeveral() {
        var listed =
                HEAD
                        + """
                           0:        0..      99:         24..       123:    100:             shared
                           1:      100..     100:       1500..      1500:      1:        124:
                           2:      101..     732:        125..       756:    632:       1501: last,shared,eof
                        m/clone: 3 extents found
                        """;
        assertEquals(732, Reflinks.sharedBlocks(listed));
    }

    @Test
    void countsNothingOfAFileOfItsOwn() {
        var listed =
                HEAD
                        + """
                           0:        0..     732:         24..       756:    733:             last,eof
                        m/shared: 1 extent found
                        """;
        assertEquals(0, Reflinks.sharedBlocks(listed));
    }
}
