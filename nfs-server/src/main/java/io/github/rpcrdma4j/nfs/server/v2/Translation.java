package io.github.rpcrdma4j.nfs.server.v2;

import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileType;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Converts between the types of stores and those of NFS version 2.
 *
 * <p>Tests: {@code Nfs2Test}.
 */
public final class Translation {
    private static final int MODE_MASK = 07777;

    /** Some clients of Sun keep the mode of a file by this one. */
    private static final int KEEP_MODE = 0xffff;

    private static final int MICROS_END = 1_000_000;
    private static final int NANOS_OF_MICRO = 1000;
    private static final int UNIT = 512;
    private static final int BLOCK = 4096;

    private Translation() {}

    /** Returns the status for a failure. */
    public static Status status(Failure failure) {
        return switch (failure) {
            case PERM -> Status.PERM;
            case NOENT -> Status.NOENT;
            case NXIO -> Status.NXIO;
            case ACCES, WRONGSEC, MOVED, XDEV -> Status.ACCES;
            case EXIST -> Status.EXIST;
            case NODEV -> Status.NODEV;
            case NOTDIR -> Status.NOTDIR;
            case ISDIR -> Status.ISDIR;
            case INVAL, BADTYPE -> Status.INVAL;
            case FBIG -> Status.FBIG;
            case NOSPC -> Status.NOSPC;
            case ROFS -> Status.ROFS;
            case MLINK -> Status.MLINK;
            case NAMETOOLONG -> Status.NAMETOOLONG;
            case NOTEMPTY -> Status.NOTEMPTY;
            case DQUOT -> Status.DQUOT;
            case STALE, BADHANDLE -> Status.STALE;
            // Version 2 has no status that asks a client to come back later.
            case IO, AGAIN, FAULT, BAD_COOKIE, NOT_SYNC, NOTSUPP, TOOSMALL -> Status.IO;
            case NOXATTR, XATTR2BIG -> Status.IO;
        };
    }

    /** Returns the attributes for a status of a file. */
    public static FileAttributes attributes(FileStatus status) {
        return new FileAttributes(
                type(status),
                status.mode() | format(status),
                status.links(),
                status.uid(),
                status.gid(),
                clamped(status.size()),
                BLOCK,
                device(status),
                clamped((status.used() + UNIT - 1) / UNIT),
                folded(status.fileSystem()),
                folded(status.number()),
                time(status.accessed()),
                time(status.modified()),
                time(status.changed()));
    }

    private static FileType type(FileStatus status) {
        return switch (status.type()) {
            case REGULAR -> FileType.REGULAR;
            case DIRECTORY -> FileType.DIRECTORY;
            case BLOCK_DEVICE -> FileType.BLOCK_DEVICE;
            // Version 2 has no FIFO: its device distinguishes it.
            case CHARACTER_DEVICE, FIFO -> FileType.CHARACTER_DEVICE;
            case SYMBOLIC_LINK -> FileType.SYMBOLIC_LINK;
            case SOCKET -> FileType.SOCKET;
        };
    }

    /** Returns the type as in {@code st_mode}. */
    private static int format(FileStatus status) {
        return switch (status.type()) {
            case REGULAR -> 0100000;
            case DIRECTORY -> 0040000;
            case BLOCK_DEVICE -> 0060000;
            case CHARACTER_DEVICE -> 0020000;
            case SYMBOLIC_LINK -> 0120000;
            case SOCKET -> 0140000;
            case FIFO -> 0010000;
        };
    }

    /** Returns the number of a device as Linux encodes it in 32 bits. */
    private static int device(FileStatus status) {
        return switch (status.type()) {
            case FIFO -> FileAttributes.FIFO_DEVICE;
            case BLOCK_DEVICE, CHARACTER_DEVICE ->
                    status.minor() & 0xff | status.major() << 8 | (status.minor() & ~0xff) << 12;
            case REGULAR, DIRECTORY, SYMBOLIC_LINK, SOCKET -> 0;
        };
    }

    static int major(int device) {
        return device >>> 8 & 0xfff;
    }

    static int minor(int device) {
        return device & 0xff | device >>> 12 & 0xfff00;
    }

    /** Returns a size in 32 bits; a larger one becomes the largest. */
    private static int clamped(long size) {
        return size < 0 || size > Nfs2.SIZE_MAX ? (int) Nfs2.SIZE_MAX : (int) size;
    }

    /** Returns a number of 64 bits in 32 bits; a number that fits stays. */
    static int folded(long number) {
        return (int) (number ^ number >>> Integer.SIZE);
    }

    /** Returns the nearest time that 32 bits of seconds can represent. */
    private static Timestamp time(Time time) {
        if (time.seconds() < 0) {
            return new Timestamp(0, 0);
        }
        return time.seconds() > Nfs2.SIZE_MAX
                ? new Timestamp(-1, MICROS_END - 1)
                : new Timestamp((int) time.seconds(), time.nanos() / NANOS_OF_MICRO);
    }

    /**
     * Returns the changes of an existing file.
     *
     * @throws Refusal INVAL for a malformed time
     */
    static AttributeChanges changes(SetAttributes wanted) throws Refusal {
        boolean hasMode = wanted.mode() != SetAttributes.KEEP && wanted.mode() != KEEP_MODE;
        boolean bothNow = isServerTime(wanted.modified());
        return new AttributeChanges(
                hasMode ? OptionalInt.of(wanted.mode() & MODE_MASK) : OptionalInt.empty(),
                kept(wanted.uid()),
                kept(wanted.gid()),
                wanted.size() == SetAttributes.KEEP
                        ? OptionalLong.empty()
                        : OptionalLong.of(Integer.toUnsignedLong(wanted.size())),
                bothNow && !isKept(wanted.accessed())
                        ? new TimeChange.Now()
                        : change(wanted.accessed()),
                change(wanted.modified()));
    }

    /** Returns the attributes that a new file gets. Only root may choose an owner. */
    static AttributeChanges changesOfNew(SetAttributes wanted, Caller caller) throws Refusal {
        return changes(
                caller.isRoot()
                        ? wanted
                        : new SetAttributes(
                                wanted.mode(),
                                SetAttributes.KEEP,
                                SetAttributes.KEEP,
                                wanted.size(),
                                wanted.accessed(),
                                wanted.modified()));
    }

    private static OptionalInt kept(int id) {
        return id == SetAttributes.KEEP ? OptionalInt.empty() : OptionalInt.of(id);
    }

    private static boolean isKept(Timestamp time) {
        return time.seconds() == SetAttributes.KEEP || time.micros() == SetAttributes.KEEP;
    }

    private static boolean isServerTime(Timestamp time) {
        return !isKept(time) && time.micros() == SetAttributes.SERVER_TIME_MICROS;
    }

    private static TimeChange change(Timestamp time) throws Refusal {
        if (isKept(time)) {
            return new TimeChange.Keep();
        }
        if (isServerTime(time)) {
            return new TimeChange.Now();
        }
        if (time.micros() < 0 || time.micros() > MICROS_END) {
            throw new Refusal(Failure.INVAL);
        }
        return new TimeChange.To(
                new Time(Integer.toUnsignedLong(time.seconds()), time.micros() * NANOS_OF_MICRO));
    }

    /** Returns the space in blocks that are large enough for 31 bits: clients multiply. */
    static Nfs2Results.Space space(SpaceStatus space) {
        long block = BLOCK;
        while (space.totalBytes() / block > Integer.MAX_VALUE) {
            block *= 2;
        }
        return new Nfs2Results.Space(
                Nfs2.DATA_MAX,
                clamped(block),
                blocks(space.totalBytes(), block),
                blocks(space.freeBytes(), block),
                blocks(space.availableBytes(), block));
    }

    private static int blocks(long bytes, long block) {
        return Math.clamp(bytes / block, 0, Integer.MAX_VALUE);
    }
}
