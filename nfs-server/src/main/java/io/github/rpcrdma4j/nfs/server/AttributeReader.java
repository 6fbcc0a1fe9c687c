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
import java.nio.file.attribute.FileTime;
import java.util.Map;

/**
 * Reads attributes of the files of one export, without following links. Thread-safe.
 *
 * <p>A file system with Unix attributes gives all there is. Another one gives type, size and times;
 * the rest is made up so that everybody may do everything.
 */
final class AttributeReader {
    private static final String UNIX =
            "unix:mode,ino,dev,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,"
                    + "creationTime,isDirectory,isSymbolicLink";
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

    AttributeReader(Path root, long fileSystemId) throws IOException {
        this.root = root;
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
        return unix ? readUnix(path) : readBasic(path);
    }

    private Attributes readUnix(Path path) throws IOException {
        var all = Files.readAttributes(path, UNIX, LinkOption.NOFOLLOW_LINKS);
        int mode = number(all, "mode").intValue();
        long size = number(all, "size").longValue();
        long inode = number(all, "ino").longValue();
        long on = number(all, "dev").longValue();
        // What is mounted in the export has inode numbers of its own.
        long number = on == device ? inode : hash(on + ":" + inode);
        boolean hasBirth = knowsBirth && on == device;
        int birth = hasBirth ? birth((FileTime) all.get("creationTime")) : 0;
        long node = number(all, "rdev").longValue();
        return new Attributes(
                new FileId(number, birth),
                new FileAttributes(
                        type(mode, all),
                        mode & PERMISSION_MASK,
                        number(all, "nlink").intValue(),
                        number(all, "uid").intValue(),
                        number(all, "gid").intValue(),
                        size,
                        size,
                        major(node) << Integer.SIZE | minor(node),
                        fileSystemId,
                        number,
                        time(all, "lastAccessTime"),
                        time(all, "lastModifiedTime"),
                        changed(all)));
    }

    private static int birth(FileTime made) {
        var instant = made.toInstant();
        return 31 * Long.hashCode(instant.getEpochSecond()) + instant.getNano();
    }

    /** Linux packs 12 and 20 bits into 32. */
    private static long major(long device) {
        return device >>> 8 & 0xfff;
    }

    private static long minor(long device) {
        return device >>> 12 & 0xfff00 | device & 0xff;
    }

    private static Number number(Map<String, Object> all, String name) {
        return (Number) all.get(name);
    }

    /** Only the operating system's file system is sure to count every change. */
    private Timestamp changed(Map<String, Object> all) {
        var changed = (FileTime) all.get("ctime");
        var modified = (FileTime) all.get("lastModifiedTime");
        boolean stands = keepsOwners() || changed.compareTo(modified) > 0;
        return Timestamp.of((stands ? changed : modified).toInstant());
    }

    private static Timestamp time(Map<String, Object> all, String name) {
        return Timestamp.of(((FileTime) all.get(name)).toInstant());
    }

    private static FileType type(int mode, Map<String, Object> all) {
        return switch (mode & FORMAT_MASK) {
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMBOLIC_LINK;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0140000 -> FileType.SOCKET;
            case 0010000 -> FileType.FIFO;
            case 0100000 -> FileType.REGULAR;
            // Some file systems leave the type out of the mode.
            default -> type((boolean) all.get("isDirectory"), (boolean) all.get("isSymbolicLink"));
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
