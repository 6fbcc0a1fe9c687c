package io.github.rpcrdma4j.linux;

import java.lang.foreign.ValueLayout;

/**
 * Reads {@code struct statx} from a {@link Scratch}, in the byte order of this machine.
 *
 * <pre>
 *     0  mask  4  block size  8  attributes(64)  16  links  20  uid  24  gid  28  mode(16)
 *    32  inode(64)  40  size(64)  48  blocks(64), of 512 bytes  56  attributes mask(64)
 *    64  accessed  80  birth  96  changed  112  modified: seconds(64) nanoseconds(32) 0(32) each
 *   128  device that the file is: major, minor  136  device that it is on: major, minor
 *   144  mount(64)
 * </pre>
 */
public final class Statx {
    private static final int AT = Scratch.STATX;
    private static final int BIRTH_BIT = 0x800;
    private static final int MOUNT_BIT = 0x1000;
    private static final long AUTOMOUNT_BIT = 0x1000;
    private static final long MOUNT_ROOT_BIT = 0x2000;
    private static final int BLOCK_BYTES = 512;

    private Statx() {}

    public static int mode(Scratch scratch) {
        return Short.toUnsignedInt(scratch.memory.get(ValueLayout.JAVA_SHORT, AT + 28));
    }

    public static int links(Scratch scratch) {
        return scratch.word(AT + 16);
    }

    public static int uid(Scratch scratch) {
        return scratch.word(AT + 20);
    }

    public static int gid(Scratch scratch) {
        return scratch.word(AT + 24);
    }

    public static long inode(Scratch scratch) {
        return scratch.number(AT + 32);
    }

    public static long size(Scratch scratch) {
        return scratch.number(AT + 40);
    }

    public static long changedSeconds(Scratch scratch) {
        return scratch.number(AT + 96);
    }

    public static int changedNanos(Scratch scratch) {
        return scratch.word(AT + 104);
    }

    /**
     * Returns the time of birth in seconds since 1970, or {@link Long#MIN_VALUE} if the file system
     * does not record it.
     */
    public static long birthSeconds(Scratch scratch) {
        return (scratch.word(AT) & BIRTH_BIT) != 0 ? scratch.number(AT + 80) : Long.MIN_VALUE;
    }

    public static int birthNanos(Scratch scratch) {
        return scratch.word(AT + 88);
    }

    /** Returns the device that holds the file, with the major number in the upper 32 bits. */
    public static long device(Scratch scratch) {
        return (long) scratch.word(AT + 136) << Integer.SIZE
                | Integer.toUnsignedLong(scratch.word(AT + 140));
    }

    /**
     * Returns the id of the mount that the file was reached through, or {@link #device} if the
     * kernel does not report it.
     */
    public static long mount(Scratch scratch) {
        return (scratch.word(AT) & MOUNT_BIT) != 0 ? scratch.number(AT + 144) : device(scratch);
    }

    /** Returns whether the file is the root of a mount, as far as the kernel reports it. */
    public static boolean isMountRoot(Scratch scratch) {
        return (scratch.number(AT + 8) & MOUNT_ROOT_BIT) != 0;
    }

    /**
     * Returns whether the file is a directory where another file system will be mounted when it is
     * used, as far as the kernel reports it.
     */
    public static boolean isAutomount(Scratch scratch) {
        return (scratch.number(AT + 8) & AUTOMOUNT_BIT) != 0;
    }

    /** Returns the bytes that the file takes on its file system. */
    public static long used(Scratch scratch) {
        return scratch.number(AT + 48) * BLOCK_BYTES;
    }

    public static int accessedNanos(Scratch scratch) {
        return scratch.word(AT + 72);
    }

    public static long accessedSeconds(Scratch scratch) {
        return scratch.number(AT + 64);
    }

    public static int modifiedNanos(Scratch scratch) {
        return scratch.word(AT + 120);
    }

    public static long modifiedSeconds(Scratch scratch) {
        return scratch.number(AT + 112);
    }

    /** Returns the major number of a device file. */
    public static int major(Scratch scratch) {
        return scratch.word(AT + 128);
    }

    /** Returns the minor number of a device file. */
    public static int minor(Scratch scratch) {
        return scratch.word(AT + 132);
    }
}
