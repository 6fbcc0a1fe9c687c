package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * Reads attributes of the files of one export, without following links. Thread-safe.
 *
 * <p>A file system with Unix attributes gives all there is. Another one gives type, size and times;
 * the rest is made up so that everybody may do everything.
 */
final class AttributeReader {
    private static final int FORMAT_MASK = 0170000;
    private static final int PERMISSION_MASK = 07777;
    private static final int MADE_UP_FOLDER = 0777;
    private static final int MADE_UP_FILE = 0666;

    private final Path root;
    private final long fileSystemId;
    private final boolean unix;
    private final boolean posix;
    private final long device;
    private final boolean knowsBirth;
    private final Optional<Statx> statx;

    AttributeReader(Path root, long fileSystemId) throws IOException {
        this(root, fileSystemId, Statx.of(root.getFileSystem()));
    }

    /**
     * @param statx the short way to all there is, if there is one
     */
    AttributeReader(Path root, long fileSystemId, Optional<Statx> statx) throws IOException {
        this.root = root;
        this.statx = statx;
        this.fileSystemId = fileSystemId;
        var views = root.getFileSystem().supportedFileAttributeViews();
        this.unix = views.contains("unix");
        this.posix = views.contains("posix");
        this.device = unix ? device(root) : 0;
        this.knowsBirth = keepsOwners() && knowsBirth(root);
    }

    private static long device(Path path) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:dev", LinkOption.NOFOLLOW_LINKS))
                .longValue();
    }

    /**
     * Whether the file system tells when files were made. Where it does not, the time of the last
     * change stands in; so one folder of it where the two differ is proof. A new export has not
     * changed yet, but some folder above it has.
     */
    private boolean knowsBirth(Path root) throws IOException {
        for (var folder = root; folder != null; folder = folder.getParent()) {
            if (device(folder) != device) {
                return false;
            }
            var times = Files.readAttributes(folder, BasicFileAttributes.class);
            if (!times.creationTime().equals(times.lastModifiedTime())) {
                return true;
            }
        }
        return false;
    }

    /** Whether files have owners, groups and all permission bits, and these can be changed. */
    boolean keepsOwners() {
        // Other file systems may show them, but only the operating system lets them be set.
        return unix && root.getFileSystem().equals(FileSystems.getDefault());
    }

    /** Whether the permissions of owner, group and others can be changed. */
    boolean keepsPermissions() {
        return posix;
    }

    /** Whether the number of names that a file has is known. */
    boolean knowsLinks() {
        return unix;
    }

    Attributes read(Path path) throws IOException {
        if (statx.isPresent()) {
            var attributes = statx.get().read(path, this);
            if (attributes.isPresent()) {
                return attributes.get();
            }
        }
        return unix ? readUnix(path) : readBasic(path);
    }

    private Attributes readUnix(Path path) throws IOException {
        var all = Files.readAttributes(path, UnixFile.Named.NAMES, LinkOption.NOFOLLOW_LINKS);
        // Only the operating system's file system is sure to count every change.
        return attributes(new UnixFile.Named(all, keepsOwners()));
    }

    /** The attributes of a file with the identity that it has in this export. */
    Attributes attributes(UnixFile file) {
        long on = file.device();
        // What is mounted in the export has inode numbers of its own.
        long number = on == device ? file.inode() : hash(on + ":" + file.inode());
        boolean hasBirth = knowsBirth && on == device;
        int mode = file.mode();
        long size = file.size();
        long node = file.node();
        return new Attributes(
                new FileId(number, hasBirth ? file.birth() : 0),
                new FileAttributes(
                        type(mode, file),
                        mode & PERMISSION_MASK,
                        file.links(),
                        file.uid(),
                        file.gid(),
                        size,
                        size,
                        major(node) << Integer.SIZE | minor(node),
                        fileSystemId,
                        number,
                        file.accessed(),
                        file.modified(),
                        file.changed()));
    }

    /** Linux packs 12 and 20 bits into 32. */
    private static long major(long device) {
        return device >>> 8 & 0xfff;
    }

    private static long minor(long device) {
        return device >>> 12 & 0xfff00 | device & 0xff;
    }

    private static FileType type(int mode, UnixFile file) {
        return switch (mode & FORMAT_MASK) {
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMBOLIC_LINK;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0140000 -> FileType.SOCKET;
            case 0010000 -> FileType.FIFO;
            case 0100000 -> FileType.REGULAR;
            // Some file systems leave the type out of the mode.
            default -> type(file.isDirectory(), file.isSymbolicLink());
        };
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
        var type = type(basic.isDirectory(), basic.isSymbolicLink());
        var modified = Timestamp.of(basic.lastModifiedTime().toInstant());
        return new Attributes(
                new FileId(number, 0),
                new FileAttributes(
                        type,
                        basic.isDirectory() ? MADE_UP_FOLDER : MADE_UP_FILE,
                        basic.isDirectory() ? 2 : 1,
                        0,
                        0,
                        basic.size(),
                        basic.size(),
                        0,
                        fileSystemId,
                        number,
                        Timestamp.of(basic.lastAccessTime().toInstant()),
                        modified,
                        modified));
    }

    /** Without a key of its own a file is known by its path, and loses its identity with it. */
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
