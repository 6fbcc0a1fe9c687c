package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MountPointsTest {
    private static final String MOUNTINFO =
            """
            22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
            23 22 0:21 / /proc rw - proc proc rw
            30 22 8:2 / /srv/data rw - xfs /dev/sdb1 rw
            31 30 8:3 / /srv/data/inner rw - ext4 /dev/sdc1 rw
            32 31 0:44 / /srv/data/inner/deep rw - tmpfs tmpfs rw
            33 22 0:45 / /srv/data\\040too rw - tmpfs tmpfs rw
            34 30 0:46 / /srv/data/a\\040b\\134c\\011d\\12 rw - tmpfs tmpfs rw
            35 30
            """;

    private static List<String> below(String directory) {
        return MountPoints.below(MOUNTINFO, directory).stream()
                .map(point -> new String(point.path(), StandardCharsets.ISO_8859_1))
                .toList();
    }

    @Test
    void returnsTheNumberOfEachMount() {
        var numbers =
                MountPoints.below(MOUNTINFO, "/srv").stream()
                        .map(MountPoints.Point::mount)
                        .toList();
        assertEquals(List.of(30L, 31L, 32L, 33L, 34L), numbers);
    }

    @Test
    void findsWhatIsMountedBelowADirectory() {
        assertEquals(List.of("inner", "inner/deep", "a b\\c\td\\12"), below("/srv/data"));
        assertEquals(List.of("deep"), below("/srv/data/inner"));
        assertEquals(List.of(), below("/srv/data/inner/deep"));
    }

    @Test
    void tellsWhetherFilesAreInDifferentMounts() {
        assertTrue(MountPoints.separate(MOUNTINFO, "/srv/data/file", "/srv/data/inner/file"));
        assertTrue(MountPoints.separate(MOUNTINFO, "/srv", "/srv/data"));
        assertTrue(MountPoints.separate(MOUNTINFO, "/srv/data/a", "/srv/data too/a"));
        assertFalse(MountPoints.separate(MOUNTINFO, "/srv/data/inner2", "/srv/data/a/b"));
        assertFalse(MountPoints.separate(MOUNTINFO, "/", "/srv/other"));
    }

    @Test
    void tellsTheTypeOfADevice() {
        assertEquals(Optional.of("xfs"), MountPoints.type(MOUNTINFO, 8, 2));
        assertEquals(Optional.of("tmpfs"), MountPoints.type(MOUNTINFO, 0, 45));
        assertEquals(Optional.empty(), MountPoints.type(MOUNTINFO, 8, 4));
        var more = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw";
        assertEquals(Optional.of("ext3"), MountPoints.type(more, 98, 0));
    }

    @Test
    void acceptsTheRootAsDirectory() {
        assertEquals(6, below("/").size());
    }
}
