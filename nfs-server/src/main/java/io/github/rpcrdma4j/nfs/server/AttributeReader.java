package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.io.IOException;
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
            "unix:mode,ino,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,ctime,"
                    + "creationTime";
    private static final int FORMAT_MASK = 0170000;
    private static final int PERMISSION_MASK = 07777;
    private static final int MADE_UP_FOLDER = 0777;
    private static final int MADE_UP_FILE = 0666;

    private final Path root;
    private final long fileSystemId;
    private final boolean unix;
    private final boolean knowsBirth;

    AttributeReader(Path root, long fileSystemId) throws IOException {
        this.root = root;
        this.fileSystemId = fileSystemId;
        this.unix = root.getFileSystem().supportedFileAttributeViews().contains("unix");
        this.knowsBirth = unix && knowsBirth(root);
    }

    /** Where birth times are not kept, the time of the last change stands in for them. */
    private static boolean knowsBirth(Path root) throws IOException {
        var probe = Files.readAttributes(root, BasicFileAttributes.class);
        return !probe.creationTime().equals(probe.lastModifiedTime());
    }

    /** Whether there are owners and permissions. */
    boolean hasUnixAttributes() {
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
        int birth = knowsBirth ? ((FileTime) all.get("creationTime")).toInstant().hashCode() : 0;
        long device = number(all, "rdev").longValue();
        return new Attributes(
                new FileId(inode, birth),
                new FileAttributes(
                        type(mode),
                        mode & PERMISSION_MASK,
                        number(all, "nlink").intValue(),
                        number(all, "uid").intValue(),
                        number(all, "gid").intValue(),
                        size,
                        size,
                        (device >>> 8) << 32 | device & 0xff,
                        fileSystemId,
                        inode,
                        time(all, "lastAccessTime"),
                        time(all, "lastModifiedTime"),
                        time(all, "ctime")));
    }

    private static Number number(Map<String, Object> all, String name) {
        return (Number) all.get(name);
    }

    private static Timestamp time(Map<String, Object> all, String name) {
        return Timestamp.of(((FileTime) all.get(name)).toInstant());
    }

    private static FileType type(int mode) {
        return switch (mode & FORMAT_MASK) {
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMBOLIC_LINK;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0140000 -> FileType.SOCKET;
            case 0010000 -> FileType.FIFO;
            default -> FileType.REGULAR;
        };
    }

    private Attributes readBasic(Path path) throws IOException {
        var basic =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        long number = number(basic.fileKey(), path);
        var type =
                basic.isDirectory()
                        ? FileType.DIRECTORY
                        : basic.isSymbolicLink() ? FileType.SYMBOLIC_LINK : FileType.REGULAR;
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
        long hash = 1125899906842597L;
        var text = key == null ? root.relativize(path).toString() : key.toString();
        for (int i = 0; i < text.length(); i++) {
            hash = 31 * hash + text.charAt(i);
        }
        return hash;
    }
}
