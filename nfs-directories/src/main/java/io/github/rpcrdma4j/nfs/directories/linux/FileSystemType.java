package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.store.FileSystemLimits;

/**
 * The types of file systems that statfs(2) tells apart, and what they can keep. The numbers are
 * those of {@code linux/magic.h} and of the file systems' own headers. Pure functions.
 */
final class FileSystemType {
    static final long EXT = 0xef53;
    static final long XFS = 0x58465342;
    static final long BTRFS = 0x9123683eL;
    static final long TMPFS = 0x01021994;
    static final long RAMFS = 0x858458f6L;
    static final long F2FS = 0xf2f52010L;
    static final long BCACHEFS = 0xca451a4eL;
    static final long OVERLAY = 0x794c7630;

    /** Of all drivers that are processes. */
    static final long FUSE = 0x65735546;

    /** Of FAT, also with long names. */
    static final long FAT = 0x4d44;

    static final long EXFAT = 0x2011bab0;

    /** Of the driver ntfs3 of the kernel. */
    static final long NTFS = 0x7366746e;

    private static final long CIFS = 0xff534d42L;
    private static final long SMB2 = 0xfe534d42L;

    private static final long SECOND = 1_000_000_000;
    private static final long EXFAT_STEP = 10_000_000;
    private static final long NTFS_STEP = 100;
    private static final long INT_MAX = 0xffffffffL;
    private static final long SECTOR_BYTES = 512;
    private static final int DIRECT_BLOCKS = 12;
    private static final int TREES = 3;

    private FileSystemType() {}

    /** Returns whether reading attributes of open files needs no other machine or process. */
    static boolean isLocal(long type) {
        return type == EXT
                || type == XFS
                || type == BTRFS
                || type == TMPFS
                || type == RAMFS
                || type == F2FS
                || type == BCACHEFS
                || type == OVERLAY;
    }

    /**
     * Returns whether each change of the rights to a file sets its change time: of its mode, its
     * owners and its lists. F2FS is none of these: removing a list has set no time there.
     */
    static boolean datesRights(long type) {
        return type == EXT || type == XFS || type == BTRFS || isInMemory(type);
    }

    /**
     * Returns whether forcing a directory to storage always stores the files that were made in it,
     * also those that cannot be opened.
     */
    static boolean hasJournal(long type) {
        return type == XFS || type == BTRFS || isInMemory(type);
    }

    /** Returns whether reads never need a disk. */
    static boolean isInMemory(long type) {
        return type == TMPFS || type == RAMFS;
    }

    /**
     * Returns what a file system can keep.
     *
     * @param name its name in {@code /proc/self/mountinfo}, which tells ext2, ext3 and ext4 apart;
     *     empty if it is not known
     * @param hasBirths whether it tells when files were made. Inodes of ext2, ext3 and ext4 with
     *     128 bytes have no room for that, nor for parts of seconds
     * @param blockBytes the size of its blocks
     * @param isNtfs whether a driver of the type {@link #FUSE} has attributes of NTFS
     */
    static FileSystemLimits limits(
            long type, String name, boolean hasBirths, long blockBytes, boolean isNtfs) {
        var linux = FileSystemLimits.LINUX;
        if (type == EXT) {
            // The limit of its pathconf(3).
            return linux.withLinksMax(65_000)
                    .withBytesMax(blockBytes * blocksMax(name, blockBytes))
                    .withTimeStepNanos(hasBirths ? 1 : SECOND);
        }
        if (type == BTRFS) {
            return linux.withLinksMax(65_535);
        }
        if (type == FAT) {
            return new FileSystemLimits(1, false, true, true, INT_MAX, 2 * SECOND);
        }
        if (type == EXFAT) {
            return new FileSystemLimits(1, false, true, true, Long.MAX_VALUE, EXFAT_STEP);
        }
        boolean hasStepsOfNtfs = type == NTFS || type == CIFS || type == SMB2;
        return hasStepsOfNtfs || type == FUSE && isNtfs
                ? linux.withTimeStepNanos(NTFS_STEP)
                : linux;
    }

    /** Returns the number of blocks of the largest file of ext2, ext3 or ext4. */
    private static long blocksMax(String name, long blockBytes) {
        if (!name.equals("ext2") && !name.equals("ext3")) {
            // Extents number blocks by 32 bits.
            return INT_MAX;
        }
        // An inode has 12 pointers to blocks, and one to each of three trees of pointers, of the
        // depths 1, 2 and 3. Its count of sectors, with those of the trees, has 32 bits.
        long pointers = blockBytes / Integer.BYTES;
        long counted = INT_MAX / (blockBytes / SECTOR_BYTES);
        long reached = DIRECT_BLOCKS;
        long left = counted - DIRECT_BLOCKS;
        long inTrees = 0;
        long reach = pointers;
        for (int depth = 1; depth <= TREES; depth++) {
            long here = Math.min(left, reach);
            for (long below = pointers; below <= reach; below *= pointers) {
                inTrees += Math.ceilDiv(here, below);
            }
            reached += reach;
            left -= here;
            reach *= pointers;
        }
        return Math.min(reached, counted - inTrees);
    }
}
