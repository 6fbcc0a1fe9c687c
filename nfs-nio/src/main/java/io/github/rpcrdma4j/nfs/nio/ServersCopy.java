package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.nio.tree.CopyWish;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * Copies a file of one server to another one, through this machine.
 *
 * @param options for a link at the end of the path of the source
 */
record ServersCopy(NfsPath from, NfsPath to, CopyWish wish, LinkOption[] options) {
    static ServersCopy of(NfsPath from, NfsPath to, CopyWish wish) {
        var options =
                wish.followsLinks()
                        ? new LinkOption[0]
                        : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
        return new ServersCopy(from, to, wish, options);
    }

    /** Copies the file; of a directory, itself alone. */
    void run() throws IOException {
        var source = Files.readAttributes(from, PosixFileAttributes.class, options);
        if (source.isRegularFile()) {
            try (var channel = Files.newByteChannel(from, StandardOpenOption.READ)) {
                to.getFileSystem().copies().fill(to.absolute(), channel, wish);
            }
        } else {
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
                if (!wish.replaces()) {
                    throw new FileAlreadyExistsException(to.toString());
                }
                Files.delete(to);
            }
            make(source);
        }
        if (wish.keepsAttributes() && !source.isSymbolicLink()) {
            var view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
            view.setPermissions(source.permissions());
            view.setTimes(source.lastModifiedTime(), source.lastAccessTime(), null);
        }
    }

    private void make(PosixFileAttributes source) throws IOException {
        if (source.isDirectory()) {
            Files.createDirectory(to);
        } else if (source.isSymbolicLink()) {
            var text = NfsPath.of(Files.readSymbolicLink(from)).text();
            to.getFileSystem().tree().makeLink(to.absolute(), text);
        } else {
            throw new IOException("cannot copy " + from + ": it is no file, directory or link");
        }
    }
}
