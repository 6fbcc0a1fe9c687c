package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.local.LocalException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and changes the attributes of files of any file system, without following links. Attributes
 * that a file system lacks get values that grant every user everything.
 *
 * <p>Tests: {@code NioTreeTest}, {@code NioTreeInMemoryTest}.
 */
final class NioAttributes {
    private static final int PERMISSION_MASK = 07777;
    private static final int POSIX_MASK = 0777;
    private static final int OWNER_READS = 0400;
    private static final int MADE_UP_DIRECTORY = 0777;
    private static final int MADE_UP_FILE = 0666;
    private static final int OTHERS_EXECUTE = PosixFilePermission.OTHERS_EXECUTE.ordinal();

    private static final String UNIX_NAMES =
            "unix:mode,ino,dev,nlink,uid,gid,rdev,size,lastAccessTime,lastModifiedTime,"
                    + "ctime,isDirectory,isSymbolicLink";
    private static final boolean IS_MACOS = System.getProperty("os.name").startsWith("Mac");

    private final boolean unix;
    private final boolean posix;

    /** Whether owners and all mode bits can be set, which only the default file system allows. */
    private final boolean setsUnix;

    NioAttributes(FileSystem system) {
        var views = system.supportedFileAttributeViews();
        this.unix = views.contains("unix");
        this.posix = views.contains("posix");
        this.setsUnix = unix && system.equals(FileSystems.getDefault());
    }

    /**
     * Returns the attributes for the creation of a file, which has no more permissions at any time.
     */
    FileAttribute<?>[] atFirst(int mode) {
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions(mode))}
                : new FileAttribute<?>[0];
    }

    LocalStatus status(Path path) throws IOException {
        return unix ? unixStatus(path) : basicStatus(path);
    }

    private static LocalStatus unixStatus(Path path) throws IOException {
        Map<String, Object> all = Files.readAttributes(path, UNIX_NAMES, LinkOption.NOFOLLOW_LINKS);
        int mode = (int) number(all, "mode");
        long size = number(all, "size");
        long device = number(all, "rdev");
        return new LocalStatus(
                // Some file systems leave the type out of the mode.
                FileType.ofMode(mode)
                        .orElseGet(
                                () ->
                                        type(
                                                (boolean) all.get("isDirectory"),
                                                (boolean) all.get("isSymbolicLink"))),
                mode & PERMISSION_MASK,
                number(all, "nlink"),
                (int) number(all, "uid"),
                (int) number(all, "gid"),
                size,
                size,
                major(device),
                minor(device),
                number(all, "dev"),
                number(all, "ino"),
                ((FileTime) all.get("lastAccessTime")).toInstant(),
                ((FileTime) all.get("lastModifiedTime")).toInstant(),
                ((FileTime) all.get("ctime")).toInstant());
    }

    private static long number(Map<String, Object> all, String name) {
        return ((Number) all.get(name)).longValue();
    }

    /** Returns the major number. Linux packs 12 and 20 bits into 32, macOS 8 and 24. */
    private static int major(long device) {
        return (int) (IS_MACOS ? device >>> 24 & 0xff : device >>> 8 & 0xfff);
    }

    private static int minor(long device) {
        return (int) (IS_MACOS ? device & 0xffffff : device >>> 12 & 0xfff00 | device & 0xff);
    }

    private static FileType type(boolean isDirectory, boolean isSymbolicLink) {
        if (isSymbolicLink) {
            return FileType.SYMBOLIC_LINK;
        }
        return isDirectory ? FileType.DIRECTORY : FileType.REGULAR;
    }

    private LocalStatus basicStatus(Path path) throws IOException {
        var basic =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        int madeUp = basic.isDirectory() ? MADE_UP_DIRECTORY : MADE_UP_FILE;
        return new LocalStatus(
                type(basic.isDirectory(), basic.isSymbolicLink()),
                posix ? mode(path) : madeUp,
                basic.isDirectory() ? 2 : 1,
                0,
                0,
                basic.size(),
                basic.size(),
                0,
                0,
                0,
                inode(basic.fileKey(), path),
                basic.lastAccessTime().toInstant(),
                basic.lastModifiedTime().toInstant(),
                basic.lastModifiedTime().toInstant());
    }

    private static int mode(Path path) throws IOException {
        int mode = 0;
        for (var each : Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS)) {
            mode |= 1 << OTHERS_EXECUTE - each.ordinal();
        }
        return mode;
    }

    /** Returns a number that identifies a file: its key, or a hash of its key or path. */
    private static long inode(Object key, Path path) {
        if (key instanceof Number number) {
            return number.longValue();
        }
        var text = (key == null ? path : key).toString().getBytes(StandardCharsets.UTF_8);
        try {
            // A server that chooses names cannot make two of them collide.
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text)).getLong();
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("each Java has SHA-256", missing);
        }
    }

    /** Returns the permissions of a mode. */
    private static Set<PosixFilePermission> permissions(int mode) {
        var granted = EnumSet.noneOf(PosixFilePermission.class);
        for (var permission : PosixFilePermission.values()) {
            // The constants are declared from the highest bit (read, owner) to the lowest.
            if ((mode >>> OTHERS_EXECUTE - permission.ordinal() & 1) != 0) {
                granted.add(permission);
            }
        }
        return granted;
    }

    /**
     * Sets owner, times and mode. The times precede the mode, because Java opens a file to set its
     * times, and the new mode may forbid that.
     */
    void change(Path path, LocalChanges changes, String what) throws IOException {
        LocalTrees.requireOwners(changes, what);
        var now = status(path);
        boolean setsTimes = changes.accessed().isPresent() || changes.modified().isPresent();
        if (setsTimes) {
            requireHarmless(now.type(), what);
        }
        if (changes.uid().isPresent() || changes.gid().isPresent()) {
            changeOwner(path, now, changes, what);
        }
        if (setsTimes) {
            changeTimes(path, changes);
        }
        if (changes.mode().isPresent() && now.type() != FileType.SYMBOLIC_LINK) {
            setMode(path, changes.mode().getAsInt() & PERMISSION_MASK);
        }
    }

    /**
     * Refuses to set the times of FIFOs and devices: Java would open them, which may block or have
     * side effects.
     */
    private static void requireHarmless(FileType type, String what) throws LocalException {
        switch (type) {
            case REGULAR, DIRECTORY, SYMBOLIC_LINK -> {}
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO ->
                    throw new LocalException(
                            what, Reason.UNSUPPORTED, "its times cannot be changed on this system");
        }
    }

    private void changeOwner(Path path, LocalStatus now, LocalChanges changes, String what)
            throws IOException {
        boolean changesUid = changes.uid().orElse(now.uid()) != now.uid();
        boolean changesGid = changes.gid().orElse(now.gid()) != now.gid();
        if (!setsUnix) {
            if (!unix || changesUid || changesGid) {
                throw new LocalException(what, Reason.NOT_PERMITTED);
            }
            return;
        }
        try {
            // A process that may change the user may also change the group.
            if (changesUid) {
                set(path, "unix:uid", changes.uid().getAsInt());
            }
            if (changesGid) {
                set(path, "unix:gid", changes.gid().getAsInt());
            }
        } catch (FileSystemException refused) {
            // Java has no exception type for this refusal, and its message depends on the language.
            throw refused.getClass() == FileSystemException.class
                    ? new LocalException(what, Reason.NOT_PERMITTED)
                    : refused;
        }
    }

    private static void set(Path path, String attribute, int value) throws IOException {
        Files.setAttribute(path, attribute, value, LinkOption.NOFOLLOW_LINKS);
    }

    private void changeTimes(Path path, LocalChanges changes) throws IOException {
        try {
            setTimes(path, changes);
        } catch (AccessDeniedException denied) {
            var now = status(path);
            if (!setsUnix || now.type() == FileType.SYMBOLIC_LINK) {
                throw denied;
            }
            setMode(path, now.mode() | OWNER_READS);
            try {
                setTimes(path, changes);
            } finally {
                setMode(path, now.mode());
            }
        }
    }

    private void setTimes(Path path, LocalChanges changes) throws IOException {
        Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(time(changes.modified()), time(changes.accessed()), null);
    }

    /**
     * Returns a time for Java to set. On the default file system, Java sets a time before 1970 to
     * 1970 unless it is in whole seconds.
     */
    private FileTime time(Optional<Instant> time) {
        return time.map(
                        each ->
                                setsUnix && each.getEpochSecond() < 0
                                        ? Instant.ofEpochSecond(each.getEpochSecond())
                                        : each)
                .map(FileTime::from)
                .orElse(null);
    }

    /** Sets the mode bits that the file system keeps; the file must not be a link. */
    void setMode(Path path, int mode) throws IOException {
        if (setsUnix) {
            // With an option for links, Java opens the file and follows links nevertheless.
            Files.setAttribute(path, "unix:mode", mode);
        } else if (posix) {
            Files.getFileAttributeView(
                            path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(permissions(mode & POSIX_MASK));
        }
    }
}
