package io.github.rpcrdma4j.nfs.nio.routed;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.Iterator;

/** The names of a directory, as paths of the default file system. */
class RoutedDirectory implements DirectoryStream<Path> {
    private final RoutedPath directory;
    private final DirectoryStream<Path> names;

    RoutedDirectory(RoutedPath directory, DirectoryStream<Path> names) {
        this.directory = directory;
        this.names = names;
    }

    /** Opens a directory. One of this machine stays as secure as the platform has it. */
    static DirectoryStream<Path> of(
            RoutedPath directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        DirectoryStream.Filter<Path> ofUsed = used -> filter.accept(directory.child(used));
        var names = Files.newDirectoryStream(directory.used(), ofUsed);
        return names instanceof SecureDirectoryStream<Path> secure
                ? new SecureRoutedDirectory(directory, secure)
                : new RoutedDirectory(directory, names);
    }

    final RoutedPath directory() {
        return directory;
    }

    @Override
    public final Iterator<Path> iterator() {
        var each = names.iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return each.hasNext();
            }

            @Override
            public Path next() {
                return directory.child(each.next());
            }
        };
    }

    @Override
    public final void close() throws IOException {
        names.close();
    }
}
