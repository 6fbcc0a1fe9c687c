package io.github.rpcrdma4j.nfs.directories.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.store.FileSystemLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: what is known of file systems that are not ext4 is in a table. */
class FileSystemTypeTest {
    private static FileSystemLimits limits(long type, boolean hasBirths) {
        return FileSystemType.limits(type, "", hasBirths, 4096, false);
    }

    private static FileSystemLimits like(int links, long bytes, long step) {
        return FileSystemLimits.LINUX
                .withLinksMax(links)
                .withBytesMax(bytes)
                .withTimeStepNanos(step);
    }

    @Test
    void knowsTypesAsStatfsTellsThem() {
        for (int each : new int[] {0xef53, 0x9123683e, 0x858458f6, 0x01021994, 0xca451a4e}) {
            assertTrue(
                    FileSystemType.isLocal(Integer.toUnsignedLong(each)),
                    () -> Integer.toHexString(each));
        }
        assertFalse(FileSystemType.isLocal(FileSystemType.FUSE));
    }

    /** The types are those whose sources set the time of change wherever rights change. */
    @Test
    void knowsWhereEachChangeOfRightsSetsATime() {
        for (int each : new int[] {0xef53, 0x58465342, 0x9123683e, 0x858458f6, 0x01021994}) {
            assertTrue(
                    FileSystemType.datesRights(Integer.toUnsignedLong(each)),
                    () -> Integer.toHexString(each));
        }
        for (long each :
                new long[] {
                    FileSystemType.F2FS,
                    FileSystemType.BCACHEFS,
                    FileSystemType.OVERLAY,
                    FileSystemType.FUSE,
                    FileSystemType.FAT,
                    0x6969
                }) {
            assertFalse(FileSystemType.datesRights(each), () -> Long.toHexString(each));
        }
    }

    @Test
    void knowsWhatEachTypeKeeps() {
        int most = Integer.MAX_VALUE;
        long all = Long.MAX_VALUE;
        long ext = 17_592_186_040_320L;
        assertEquals(like(65_000, ext, 1), limits(FileSystemType.EXT, true));
        assertEquals(like(65_000, ext, 1_000_000_000), limits(FileSystemType.EXT, false));
        assertEquals(like(65_535, all, 1), limits(Integer.toUnsignedLong(0x9123683e), true));
        for (long each : new long[] {FileSystemType.XFS, FileSystemType.TMPFS, 0}) {
            assertEquals(like(most, all, 1), limits(each, false));
        }
        assertEquals(
                new FileSystemLimits(1, false, true, true, 0xffffffffL, 2_000_000_000),
                limits(FileSystemType.FAT, true));
        assertEquals(
                new FileSystemLimits(1, false, true, true, all, 10_000_000),
                limits(FileSystemType.EXFAT, true));
        assertEquals(like(most, all, 100), limits(FileSystemType.NTFS, true));
        assertEquals(like(most, all, 1), limits(FileSystemType.FUSE, false));
        assertEquals(
                like(most, all, 100),
                FileSystemType.limits(FileSystemType.FUSE, "", false, 4096, true));
    }

    @ParameterizedTest
    @CsvSource({
        "ext2, 1024, 17247252480",
        "ext2, 2048, 275415851008",
        "ext3, 4096, 2196873666560",
        "ext2, 65536, 2198888906752",
        "ext4, 4096, 17592186040320"
    })
    void knowsThatFilesWithoutExtentsAreSmaller(String name, int blockBytes, long bytesMax) {
        var limits = FileSystemType.limits(FileSystemType.EXT, name, false, blockBytes, false);
        assertEquals(bytesMax, limits.bytesMax());
    }
}
