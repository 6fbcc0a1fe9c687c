package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.Time;
import io.github.rpcrdma4j.nfs.v3.FileType;
import java.lang.foreign.ValueLayout;

/**
 * Reads {@code struct statx} from a {@link Scratch}, in the byte order of this machine.
 *
 * <pre>
 *     0  mask  4  block size  8  attributes(64)  16  links  20  uid  24  gid  28  mode(16)
 *    32  inode(64)  40  size(64)  48  blocks(64), of 512 bytes  56  attributes mask(64)
 *    64  accessed  80  made  96  changed  112  modified: seconds(64) nanoseconds(32) 0(32) each
 *   128  device that the file is: major, minor  136  device that it is on: major, minor
 *   144  mount(64)
 * </pre>
 */
final class Statx {
    private static final int AT = Scratch.STATX;
    private static final int MADE_BIT = 0x800;
    private static final int MOUNT_BIT = 0x1000;
    private static final int FORMAT_MASK = 0170000;
    private static final int PERMISSION_MASK = 07777;
    private static final int BLOCK_BYTES = 512;

    private Statx() {}

    static int mode(Scratch scratch) {
        return Short.toUnsignedInt(scratch.memory.get(ValueLayout.JAVA_SHORT, AT + 28));
    }

    static int links(Scratch scratch) {
        return scratch.word(AT + 16);
    }

    static int uid(Scratch scratch) {
        return scratch.word(AT + 20);
    }

    static int gid(Scratch scratch) {
        return scratch.word(AT + 24);
    }

    static long inode(Scratch scratch) {
        return scratch.number(AT + 32);
    }

    static long size(Scratch scratch) {
        return scratch.number(AT + 40);
    }

    static long changedSeconds(Scratch scratch) {
        return scratch.number(AT + 96);
    }

    static int changedNanos(Scratch scratch) {
        return scratch.word(AT + 104);
    }

    /** Since 1970; the least number there is if the file system does not keep the time of birth. */
    static long madeSeconds(Scratch scratch) {
        return (scratch.word(AT) & MADE_BIT) != 0 ? scratch.number(AT + 80) : Long.MIN_VALUE;
    }

    static int madeNanos(Scratch scratch) {
        return scratch.word(AT + 88);
    }

    /** The device that the file is on, major in the upper half. */
    static long device(Scratch scratch) {
        return (long) scratch.word(AT + 136) << Integer.SIZE
                | Integer.toUnsignedLong(scratch.word(AT + 140));
    }

    /** The mount that the file was reached by; the device where the kernel does not tell. */
    static long mount(Scratch scratch) {
        return (scratch.word(AT) & MOUNT_BIT) != 0 ? scratch.number(AT + 144) : device(scratch);
    }

    static FileType type(Scratch scratch) {
        return switch (mode(scratch) & FORMAT_MASK) {
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMBOLIC_LINK;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0140000 -> FileType.SOCKET;
            case 0010000 -> FileType.FIFO;
            default -> FileType.REGULAR;
        };
    }

    /**
     * @param fileSystem the number of the file system that clients see
     */
    static FileStatus status(Scratch scratch, long fileSystem) {
        return new FileStatus(
                type(scratch),
                mode(scratch) & PERMISSION_MASK,
                links(scratch),
                uid(scratch),
                gid(scratch),
                size(scratch),
                scratch.number(AT + 48) * BLOCK_BYTES,
                scratch.word(AT + 128),
                scratch.word(AT + 132),
                fileSystem,
                inode(scratch),
                time(scratch, 64),
                time(scratch, 112),
                time(scratch, 96));
    }

    private static Time time(Scratch scratch, int offset) {
        return new Time(scratch.number(AT + offset), scratch.word(AT + offset + Long.BYTES));
    }
}
