package io.github.rpcrdma4j.nfs.nio.routed;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.util.Set;

/** A directory of this machine that stays the same one while names in it are used. */
final class SecureRoutedDirectory extends RoutedDirectory implements SecureDirectoryStream<Path> {
    private final SecureDirectoryStream<Path> names;

    SecureRoutedDirectory(RoutedPath directory, SecureDirectoryStream<Path> names) {
        super(directory, names);
        this.names = names;
    }

    private Path local(Path path) throws FileSystemException {
        var own = directory().getFileSystem().own(path);
        var route = ((RoutedPath) directory().resolve(own)).route();
        if (route != null) {
            throw route.refused("a directory of this machine has no files of servers");
        }
        return own.local();
    }

    @Override
    public SecureDirectoryStream<Path> newDirectoryStream(Path path, LinkOption... options)
            throws IOException {
        return new SecureRoutedDirectory(
                (RoutedPath) directory().resolve(path),
                names.newDirectoryStream(local(path), options));
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return names.newByteChannel(local(path), options, attributes);
    }

    @Override
    public void deleteFile(Path path) throws IOException {
        names.deleteFile(local(path));
    }

    @Override
    public void deleteDirectory(Path path) throws IOException {
        names.deleteDirectory(local(path));
    }

    @Override
    public void move(Path source, SecureDirectoryStream<Path> directory, Path target)
            throws IOException {
        var other = directory instanceof SecureRoutedDirectory routed ? routed.names : directory;
        names.move(local(source), other, local(target));
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Class<V> type) {
        return names.getFileAttributeView(type);
    }

    /** Returns null, too, for a file of a server. */
    @Override
    public <V extends FileAttributeView> V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        try {
            return names.getFileAttributeView(local(path), type, options);
        } catch (FileSystemException _) {
            return null;
        }
    }
}
