package io.github.rpcrdma4j.nfs.nio.routed;

import io.github.rpcrdma4j.nfs.nio.tree.CopyWish;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Copies a file between this machine and a server, or two kinds of servers. As on this machine, a
 * new file has the permissions of its source, less the umask, and no others at any time. A copy
 * that replaces a file has a temporary name until it is complete.
 *
 * <p>Tests: {@code RoutedProviderTest}.
 *
 * @param source a path of the file system that has it
 * @param target a path of another file system
 */
record CopyAcross(Path source, Path target, CopyWish wish) {
    private LinkOption[] options() {
        return wish.followsLinks()
                ? new LinkOption[0]
                : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
    }

    private PosixFileAttributes read() throws IOException {
        return Files.readAttributes(source, PosixFileAttributes.class, options());
    }

    /** Copies the file; of a directory, itself alone. */
    void copy() throws IOException {
        var file = read();
        if (!file.isRegularFile() && !file.isDirectory()) {
            throw refused("a link or a device is not copied to another file system");
        }
        if (!wish.replaces() && Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(target.toString());
        }
        if (file.isRegularFile()) {
            copyBytes(file);
        } else {
            if (wish.replaces()) {
                Files.deleteIfExists(target);
            }
            Files.createDirectory(target, permissions(file));
            keepAttributes(target, file);
        }
    }

    /**
     * Moves the file.
     *
     * @throws FileSystemException if it is a directory with names in it, or if the copy has taken
     *     the place of the file itself, which two paths can lead to
     */
    void move() throws IOException {
        if (wish.isAtomic()) {
            throw new AtomicMoveNotSupportedException(
                    source.toString(), target.toString(), "they are of different file systems");
        }
        var file = read();
        if (file.isDirectory()) {
            try (var names = Files.newDirectoryStream(source)) {
                if (names.iterator().hasNext()) {
                    throw refused("a directory with names is not moved to another file system");
                }
            }
        }
        copy();
        if (!Objects.equals(file.fileKey(), read().fileKey())) {
            throw refused("the source is another file since it was copied, and is kept");
        }
        Files.delete(source);
    }

    private FileSystemException refused(String reason) {
        return new FileSystemException(source.toString(), target.toString(), reason);
    }

    private static FileAttribute<Set<PosixFilePermission>> permissions(PosixFileAttributes file) {
        return PosixFilePermissions.asFileAttribute(file.permissions());
    }

    private void copyBytes(PosixFileAttributes file) throws IOException {
        var made = wish.replaces() ? target.resolveSibling(temporaryName()) : target;
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        boolean isDone = false;
        try (var from = Files.newByteChannel(source, StandardOpenOption.READ)) {
            var to = Files.newByteChannel(made, options, permissions(file));
            try {
                write(from, to);
                keepAttributes(made, file);
                if (wish.replaces()) {
                    replace(made);
                }
                isDone = true;
            } finally {
                if (!isDone) {
                    Files.deleteIfExists(made);
                }
            }
        }
    }

    private static String temporaryName() {
        return ".copy-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    private static void write(SeekableByteChannel from, SeekableByteChannel to) throws IOException {
        try (var in = Channels.newInputStream(from);
                var out = Channels.newOutputStream(to)) {
            in.transferTo(out);
        }
    }

    private void replace(Path made) throws IOException {
        if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(target);
        }
        Files.move(made, target, StandardCopyOption.REPLACE_EXISTING);
    }

    private void keepAttributes(Path made, PosixFileAttributes file) throws IOException {
        if (wish.keepsAttributes()) {
            var view = Files.getFileAttributeView(made, PosixFileAttributeView.class);
            view.setPermissions(file.permissions());
            view.setTimes(file.lastModifiedTime(), file.lastAccessTime(), null);
        }
    }
}
