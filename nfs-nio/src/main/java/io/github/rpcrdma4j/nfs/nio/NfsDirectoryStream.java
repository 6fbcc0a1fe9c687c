package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.nio.tree.DirectoryNames;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The names of a directory of a server, fetched as they are consumed. Their paths have the
 * attributes that came with them. Thread-safe.
 */
final class NfsDirectoryStream implements DirectoryStream<Path> {
    private final NfsPath directory;
    private final DirectoryNames names;
    private final Filter<? super Path> filter;
    private final long listedNanos;

    /** Guarded by this object, like the field below. */
    private boolean isIterated;

    private boolean isClosed;

    NfsDirectoryStream(NfsPath directory, DirectoryNames names, Filter<? super Path> filter) {
        this.directory = directory;
        this.names = names;
        this.filter = filter;
        this.listedNanos = directory.getFileSystem().options().listed().toNanos();
    }

    @Override
    public synchronized Iterator<Path> iterator() {
        if (isClosed) {
            throw new IllegalStateException("the stream is closed");
        }
        if (isIterated) {
            throw new IllegalStateException("a stream has one iterator");
        }
        isIterated = true;
        return new Iterator<>() {
            private Path next;

            @Override
            public boolean hasNext() {
                next = next == null ? wanted() : next;
                return next != null;
            }

            @Override
            public Path next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                var path = next;
                next = null;
                return path;
            }
        };
    }

    /** Returns the next path that the filter accepts; null after the last. */
    private synchronized Path wanted() {
        try {
            while (!isClosed) {
                var name = names.next();
                if (name == null) {
                    return null;
                }
                var path = path(name);
                if (filter.accept(path)) {
                    return path;
                }
            }
            return null;
        } catch (IOException failure) {
            throw new DirectoryIteratorException(failure);
        }
    }

    private NfsPath path(NamedFile named) {
        var listed =
                listedNanos == 0
                        ? null
                        : new NfsPath.Listed(named.attributes(), names.time() + listedNanos);
        return directory.child(named.name(), listed);
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            names.close();
        }
    }
}
