package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.DirectoryEntries;
import io.github.rpcrdma4j.linux.Errno;
import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.linux.Xattrs;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file systems of one export: that of the root, and those that clients crossed into.
 *
 * <p>Tests: {@code MountedBelowTest}, {@code OtherFileSystemsTest}.
 */
final class MountedFileSystems {
    /** {@code FS_IOC_GETFSUUID}: length(8) and 16 bytes. */
    private static final long GET_UUID = 0x80111500L;

    private static final int UUID_BYTES = 16;
    private static final Path BY_UUID = Path.of("/dev/disk/by-uuid");

    private final Identity identity;
    private final long rootNumber;
    private final Map<Long, MountedFileSystem> byMount = new ConcurrentHashMap<>();
    private final Map<Long, MountedFileSystem> byKey = new ConcurrentHashMap<>();

    /** The descriptor of the first file system, that of the root; it belongs to the store. */
    private int rootDescriptor;

    /**
     * @param rootNumber the id of the root's file system for clients
     */
    MountedFileSystems(Identity identity, long rootNumber) {
        this.identity = identity;
        this.rootNumber = rootNumber;
    }

    /** Returns the file system with that key; null if no client crossed into it. */
    MountedFileSystem find(long key) {
        return byKey.get(key);
    }

    /**
     * Returns the mount points below an open directory, relative to it, of the file systems that no
     * client crossed into.
     */
    List<MountPoints.Point> unknownBelow(int directory) {
        return pointsBelow(directory).stream()
                .filter(point -> !byMount.containsKey(point.mount()))
                .toList();
    }

    private static List<MountPoints.Point> pointsBelow(int directory) {
        try {
            var path = Files.readSymbolicLink(Path.of("/proc/self/fd", "" + directory));
            return MountPoints.below(MountPoints.read(), MountPoints.text(path));
        } catch (IOException _) {
            return List.of();
        }
    }

    /**
     * Returns the file system of an open file. The scratch must hold the attributes of the file.
     *
     * @throws StoreException if it cannot be served
     */
    MountedFileSystem of(FileThreads.Call call, int descriptor) throws StoreException {
        var known = byMount.get(Statx.mount(call.scratch));
        if (known != null) {
            return known;
        }
        call.mustWait();
        return add(call.scratch, descriptor);
    }

    /** Returns whether clients crossed into a mount that needs no other machine or process. */
    boolean isLocal(long mount) {
        var known = byMount.get(mount);
        return known != null && known.local();
    }

    /** Adds the file system of the root, which is open. */
    MountedFileSystem addRoot(Scratch scratch, int descriptor) throws StoreException {
        rootDescriptor = descriptor;
        return add(scratch, descriptor, true);
    }

    /**
     * Adds the file system of an open directory or regular file. Several threads may do so for one
     * mount: nothing waits for a file system that does not respond.
     */
    MountedFileSystem add(Scratch scratch, int descriptor) throws StoreException {
        return add(scratch, descriptor, false);
    }

    private MountedFileSystem add(Scratch scratch, int descriptor, boolean isRoot)
            throws StoreException {
        ErrnoFailures.check(Kernel.statx(scratch, descriptor));
        var known = byMount.get(Statx.mount(scratch));
        if (known != null) {
            return known;
        }
        int open = -1;
        MountedFileSystem kept = null;
        try {
            var point =
                    isRoot ? Optional.<MountPoints.Point>empty() : mountPoint(Statx.mount(scratch));
            open = openForReading(scratch, descriptor);
            var mounted = describe(scratch, descriptor, open, point);
            kept =
                    byMount.computeIfAbsent(
                            mounted.mount(),
                            _ -> {
                                byKey.put(mounted.key(), mounted);
                                return mounted;
                            });
            return kept;
        } finally {
            if (open >= 0 && (kept == null || kept.descriptor() != open)) {
                Kernel.close(scratch, open);
            }
        }
    }

    /**
     * Asks a file system what it is. The scratch must hold the attributes of the file.
     *
     * @param open the file, open for reading; or a negative error number
     * @param point empty for the root
     */
    private MountedFileSystem describe(
            Scratch scratch, int descriptor, int open, Optional<MountPoints.Point> point)
            throws StoreException {
        long mount = Statx.mount(scratch);
        long device = Statx.device(scratch);
        ErrnoFailures.check(Kernel.fstatfs(scratch, descriptor));
        long type = Integer.toUnsignedLong(scratch.word(Scratch.STATFS));
        int nameMax = (int) scratch.number(Scratch.STATFS + 64);
        var features = features(scratch, descriptor);
        // With the place, the handle of a file leads back to the mount of its lookup, which may be
        // read-only. The root has no place, wherever it is mounted.
        long key =
                (point.isEmpty() ? 0 : key("place", point.get().path()))
                        ^ (open < 0
                                ? key("device", longBytes(device, type))
                                : key(scratch, open, type, device));
        boolean hasHandles = open >= 0 && opensHandles(scratch, descriptor, open, type);
        if (!hasHandles && point.isPresent()) {
            throw new StoreException(
                    Failure.ACCES, "a file system without handles is mounted in the export");
        }
        return new MountedFileSystem(
                mount,
                key,
                hasHandles ? open : -1,
                point.isEmpty() ? rootNumber : rootNumber ^ key,
                device,
                FileSystemType.isLocal(type),
                FileSystemType.datesRights(type),
                FileSystemType.isInMemory(type),
                hasJournal(type, device),
                nameMax,
                point.isEmpty() ? 0 : covered(scratch, point.get().path()),
                features);
    }

    /** Returns the mount point of a mount below the root, relative to the root. */
    private Optional<MountPoints.Point> mountPoint(long mount) throws StoreException {
        for (var point : pointsBelow(rootDescriptor)) {
            if (point.mount() == mount) {
                return Optional.of(point);
            }
        }
        throw new StoreException(Failure.ACCES, "the mount of a file is not below the export");
    }

    /**
     * Returns the inode number of the directory that a mount covers. Only the listing of its parent
     * still has it.
     *
     * @param path relative to the root
     */
    private long covered(Scratch scratch, byte[] path) throws StoreException {
        int slash = path.length - 1;
        while (slash >= 0 && path[slash] != '/') {
            slash--;
        }
        var name = MemorySegment.ofArray(path).asSlice(slash + 1);
        byte[] parent = slash < 0 ? new byte[] {'.'} : Arrays.copyOf(path, slash);
        if (parent.length > Scratch.TEXT_MAX) {
            throw new StoreException(Failure.NAMETOOLONG);
        }
        int open =
                ErrnoFailures.check(
                        Kernel.openat2(
                                scratch,
                                rootDescriptor,
                                scratch.text(Scratch.TEXT, parent),
                                Kernel.O_RDONLY | Kernel.directory(),
                                0,
                                Kernel.RESOLVE_BENEATH
                                        | Kernel.RESOLVE_NO_SYMLINKS
                                        | Kernel.RESOLVE_NO_MAGICLINKS));
        try (var arena = Arena.ofConfined()) {
            var entries = new DirectoryEntries(arena);
            while (ErrnoFailures.check(entries.read(scratch, open)) > 0) {
                while (entries.next()) {
                    if (entries.name().mismatch(name) < 0) {
                        return entries.inode();
                    }
                }
            }
        } finally {
            Kernel.close(scratch, open);
        }
        throw new StoreException(Failure.STALE);
    }

    /**
     * Returns what a file system can do. The scratch must hold its {@link Kernel#fstatfs}, and the
     * attributes of the file.
     *
     * @param descriptor a file in it
     */
    private static FileSystemFeatures features(Scratch scratch, int descriptor) {
        long type = Integer.toUnsignedLong(scratch.word(Scratch.STATFS));
        boolean hasBirths = Statx.birthSeconds(scratch) != Long.MIN_VALUE;
        int blockBytes = (int) scratch.number(Scratch.STATFS + 8);
        var name = type == FileSystemType.EXT ? nameOfType(Statx.device(scratch)) : "";
        long ntfs = scratch.text(Scratch.NAME, "system.ntfs_attrib".getBytes());
        boolean isNtfs =
                type == FileSystemType.FUSE && Xattrs.get(scratch, descriptor, ntfs, 0, 0) > 0;
        long probe = scratch.text(Scratch.NAME, "user.probe".getBytes());
        long list = scratch.address + Scratch.ACCESS_ACL;
        return new FileSystemFeatures(
                Xattrs.get(scratch, descriptor, probe, 0, 0) != -Errno.OPNOTSUPP,
                Xattrs.get(scratch, descriptor, list, 0, 0) != -Errno.OPNOTSUPP,
                hasBirths,
                blockBytes,
                FileSystemType.limits(type, name, hasBirths, blockBytes, isNtfs));
    }

    private static boolean hasJournal(long type, long device) {
        return FileSystemType.hasJournal(type)
                || type == FileSystemType.EXT && MountPoints.hasJournal(device);
    }

    /** Returns the name of the type of a mounted file system; empty if it is not known. */
    private static String nameOfType(long device) {
        try {
            return MountPoints.type(
                            MountPoints.read(), device >>> Integer.SIZE, device & 0xffffffffL)
                    .orElse("");
        } catch (IOException _) {
            return "";
        }
    }

    private static int openForReading(Scratch scratch, int descriptor) throws StoreException {
        return switch (LinuxStatuses.type(scratch)) {
            case DIRECTORY, REGULAR -> Kernel.reopen(scratch, descriptor, Kernel.O_RDONLY);
            case BLOCK_DEVICE, CHARACTER_DEVICE, SYMBOLIC_LINK, SOCKET, FIFO ->
                    throw new StoreException(Failure.ACCES);
        };
    }

    /** Returns whether the kernel can open a file of the file system by its handle. */
    private boolean opensHandles(Scratch scratch, int descriptor, int open, long type) {
        // Handles of FUSE do not outlive the mount, although they look like persistent ones.
        if (!identity.mayOpenHandles() || type == FileSystemType.FUSE) {
            return false;
        }
        if (Kernel.nameToHandle(scratch, descriptor) < 0
                || scratch.word(Scratch.HANDLE) > Handles.KERNEL_MAX) {
            return false;
        }
        int again = Kernel.openByHandle(scratch, open, Kernel.O_PATH);
        if (again >= 0) {
            Kernel.close(scratch, again);
        }
        return again >= 0;
    }

    private static long key(Scratch scratch, int open, long type, long device) {
        scratch.number(Scratch.TIMES, 0);
        if (Kernel.ioctl(scratch, open, GET_UUID, scratch.address + Scratch.TIMES) == 0
                && scratch.memory.get(ValueLayout.JAVA_BYTE, Scratch.TIMES) == UUID_BYTES) {
            var uuid = new byte[UUID_BYTES];
            MemorySegment.copy(
                    scratch.memory, ValueLayout.JAVA_BYTE, Scratch.TIMES + 1, uuid, 0, UUID_BYTES);
            return key("uuid", uuid);
        }
        var name = nameOfDevice(device);
        // Without UUID and name, the key is valid until the machine restarts.
        return name.isEmpty()
                ? key("device", longBytes(device, type))
                : key("name", name.getBytes());
    }

    /** Returns the UUID of a disk from its udev link; empty if there is none. */
    private static String nameOfDevice(long device) {
        long major = device >>> Integer.SIZE;
        long minor = device & 0xffffffffL;
        long packed = (major & 0xfff) << 8 | (minor & 0xffffff00L) << 12 | minor & 0xff;
        try (var names = Files.newDirectoryStream(BY_UUID)) {
            for (var each : names) {
                if (((Number) Files.getAttribute(each, "unix:rdev")).longValue() == packed) {
                    return each.getFileName().toString();
                }
            }
        } catch (IOException | RuntimeException _) {
            // This system has no udev.
        }
        return "";
    }

    private static byte[] longBytes(long one, long other) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(one).putLong(other).array();
    }

    private static long key(String kind, byte[] of) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(kind.getBytes());
            digest.update(of);
            return ByteBuffer.wrap(digest.digest()).getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }

    /** Closes the descriptors of all file systems. */
    void close(Scratch scratch) {
        for (var mounted : byMount.values()) {
            if (mounted.descriptor() >= 0) {
                Kernel.close(scratch, mounted.descriptor());
            }
        }
        byMount.clear();
        byKey.clear();
    }
}
