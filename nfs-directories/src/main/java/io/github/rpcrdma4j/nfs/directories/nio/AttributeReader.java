package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads attributes of the files of one store without following links. Thread-safe.
 *
 * <p>A file system with Unix attributes provides all of them. Another one provides type, size and
 * times; the remaining ones are invented such that they grant all rights to all users.
 *
 * <p>Tests: {@code NioStoreContractTest}, {@code NioStoreTest}.
 */
final class AttributeReader {
    private static final int PERMISSION_MASK = 07777;
    private static final int MADE_UP_DIRECTORY = 0777;
    private static final int MADE_UP_FILE = 0666;

    /** File systems that have long recorded the time of birth. */
    private static final Set<String> KNOWN_BIRTH =
            Set.of("ext4", "xfs", "btrfs", "f2fs", "bcachefs", "zfs", "apfs");

    /**
     * The most mounted file systems in the cache; when it is full, all but the root's are dropped.
     */
    private static final int MOUNTS_MAX = 1024;

    private final Path root;
    private final long fileSystem;
    private final boolean unix;
    private final boolean posix;
    private final boolean isDefault;
    private final long device;

    /** Who makes all files; empty if unknown. */
    private final OptionalInt processUser;

    /** Whether a device records times of birth. */
    private final Map<Long, Boolean> births = new ConcurrentHashMap<>();

    /**
     * @param root a real path
     * @param fileSystem the file system id for clients
     */
    AttributeReader(Path root, long fileSystem) throws IOException {
        this.root = root;
        this.fileSystem = fileSystem;
        var views = root.getFileSystem().supportedFileAttributeViews();
        this.unix = views.contains("unix");
        this.posix = views.contains("posix");
        this.isDefault = root.getFileSystem().equals(FileSystems.getDefault());
        this.device = unix ? device(root) : 0;
        this.processUser =
                isDefault && unix && ProcessCredential.read() instanceof Credential.Sys own
                        ? OptionalInt.of(own.uid())
                        : OptionalInt.empty();
        births.put(device, keepsOwners() && (knowsBirthByType(root) || knowsBirth(root)));
    }

    private static long device(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS))
                .longValue();
    }

    private static boolean knowsBirthByType(Path path) {
        try {
            return KNOWN_BIRTH.contains(Files.getFileStore(path).type());
        } catch (IOException | RuntimeException _) {
            return false;
        }
    }

    /**
     * Returns whether the file system records times of birth. Otherwise Java returns the
     * modification time instead, so one directory where the two differ is proof. A new export has
     * not been modified yet, but usually a directory above it has.
     */
    private boolean knowsBirth(Path root) throws IOException {
        for (var directory = root; directory != null; directory = directory.getParent()) {
            if (device(directory) != device) {
                return false;
            }
            var times = Files.readAttributes(directory, BasicFileAttributes.class);
            if (!times.creationTime().equals(times.lastModifiedTime())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether files have owners, groups and all permission bits, and calls can change
     * these.
     */
    boolean keepsOwners() {
        // Other file systems may report them, but only that of the operating system can set them.
        return unix && isDefault;
    }

    /** Returns whether the files are those of the operating system. */
    boolean isDefault() {
        return isDefault;
    }

    /**
     * Refuses a file that is longer than its file system has room for. Files of the operating
     * system can have holes, which take no space. Other file systems may fail with an internal
     * error instead.
     *
     * @param size its present size, in bytes
     * @param end its new size, in bytes
     * @throws StoreException NOSPC
     */
    void requireRoom(Path file, long size, long end) throws StoreException {
        if (!isDefault && end > size && end - size > room(file)) {
            throw new StoreException(Failure.NOSPC);
        }
    }

    /** Returns the free space of a file system, or the largest number if that is unknown. */
    private static long room(Path file) {
        try {
            var store = Files.getFileStore(file);
            return store.getTotalSpace() > 0 ? store.getUsableSpace() : Long.MAX_VALUE;
        } catch (IOException | RuntimeException _) {
            return Long.MAX_VALUE;
        }
    }

    /** Returns whether the permissions of owner, group and others can be changed. */
    boolean keepsPermissions() {
        return posix;
    }

    /** Returns whether this process may have made a file: whether it is of its user, if known. */
    boolean isOfProcess(FileStatus status) {
        return processUser.isEmpty() || processUser.getAsInt() == status.uid();
    }

    /** Returns whether the number of names of a file is known. */
    boolean knowsLinks() {
        return unix;
    }

    Attributes read(Path path) throws IOException {
        return unix ? readUnix(path) : readBasic(path);
    }

    private Attributes readUnix(Path path) throws IOException {
        var file =
                new UnixAttributes(
                        Files.readAttributes(
                                path, UnixAttributes.NAMES, LinkOption.NOFOLLOW_LINKS));
        long on = file.device();
        // A file system that is mounted in the export has its own inode numbers.
        long number = on == device ? file.inode() : hash(on + ":" + file.inode());
        int mode = file.mode();
        long size = file.size();
        boolean hasBirth = hasBirth(on, path);
        return new Attributes(
                new Inode(number, hasBirth ? file.birth() : 0),
                new FileStatus(
                        type(mode, file),
                        mode & PERMISSION_MASK,
                        file.links(),
                        file.uid(),
                        file.gid(),
                        size,
                        size,
                        file.major(),
                        file.minor(),
                        fileSystem,
                        number,
                        number,
                        file.accessed(),
                        file.modified(),
                        // Only the operating system's file systems reliably set the change time.
                        file.changed(isDefault),
                        hasBirth ? Optional.of(file.born()) : Optional.empty()),
                on,
                on != device);
    }

    /**
     * Returns whether a device records times of birth. The answer must not change, because the
     * identities of its files would change too.
     */
    private boolean hasBirth(long on, Path path) {
        var known = births.get(on);
        if (known != null) {
            return known;
        }
        if (births.size() >= MOUNTS_MAX) {
            births.keySet().removeIf(each -> each != device);
        }
        return births.computeIfAbsent(on, _ -> isDefault && knowsBirthByType(path));
    }

    private static FileType type(int mode, UnixAttributes file) {
        // Some file systems omit the type in the mode.
        return FileType.ofMode(mode)
                .orElseGet(() -> type(file.isDirectory(), file.isSymbolicLink()));
    }

    private static FileType type(boolean isDirectory, boolean isSymbolicLink) {
        if (isDirectory) {
            return FileType.DIRECTORY;
        }
        return isSymbolicLink ? FileType.SYMBOLIC_LINK : FileType.REGULAR;
    }

    private Attributes readBasic(Path path) throws IOException {
        var basic =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        long number = number(basic.fileKey(), path);
        var modified = UnixAttributes.time(basic.lastModifiedTime());
        return new Attributes(
                new Inode(number, 0),
                new FileStatus(
                        type(basic.isDirectory(), basic.isSymbolicLink()),
                        basic.isDirectory() ? MADE_UP_DIRECTORY : MADE_UP_FILE,
                        basic.isDirectory() ? 2 : 1,
                        0,
                        0,
                        basic.size(),
                        basic.size(),
                        0,
                        0,
                        fileSystem,
                        number,
                        number,
                        UnixAttributes.time(basic.lastAccessTime()),
                        modified,
                        modified,
                        Optional.empty()),
                device,
                false);
    }

    /**
     * Returns the number of a file. If the file system has no file key, it depends on the path, so
     * a move changes the identity of the file.
     */
    private long number(Object key, Path path) {
        if (key instanceof Number number) {
            return number.longValue();
        }
        return hash(key == null ? root.relativize(path).toString() : key.toString());
    }

    private static long hash(String text) {
        long hash = 1125899906842597L;
        for (int i = 0; i < text.length(); i++) {
            hash = 31 * hash + text.charAt(i);
        }
        return hash;
    }
}
