package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsFiles.Entry;
import io.github.rpcrdma4j.nfs.client.file.Interruption;
import io.github.rpcrdma4j.nfs.client.file.Listing;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Streams of directory entries that make their calls as they are consumed. */
final class RemoteTree {
    private RemoteTree() {}

    /** A directory that is read page by page. */
    private static final class Pages {
        private final ParentDirectories directory;
        private final Listing listing;
        private final PathName path;
        private final Queue<NamedFile> names = new ArrayDeque<>();

        /**
         * Begins to read a directory.
         *
         * @param above the directory that holds it; null for the first of a walk
         */
        Pages(NfsMount mount, FileHandle directory, PathName path, Pages above) {
            var what = "cannot list " + path.escaped();
            var name = above == null ? path.escaped() : path.names().getLast().escaped();
            this.directory =
                    new ParentDirectories(directory, name, above == null ? null : above.directory);
            this.listing = new Listing(mount.service(), directory, what, new NameMemory().share());
            this.path = path;
        }

        /** Returns the next name, or null after the last. */
        NamedFile next() throws IOException, InterruptedException {
            while (names.isEmpty() && !listing.hasEnded()) {
                names.addAll(listing.next());
            }
            return names.poll();
        }

        Entry entry(NamedFile named) {
            return new Entry(path.resolve(named.name()), named.attributes());
        }
    }

    /** Supplies entries; null after the last. */
    private interface Source {
        Entry next() throws IOException, InterruptedException;
    }

    /** Returns the entries of a directory. */
    static Stream<Entry> list(NfsMount mount, FileHandle directory, PathName path) {
        var pages = new Pages(mount, directory, path, null);
        return stream(
                () -> {
                    var named = pages.next();
                    return named == null ? null : pages.entry(named);
                });
    }

    /** Returns a file and everything below it. */
    static Stream<Entry> walk(NfsMount mount, RemoteFile top, PathName path) {
        var open = new ArrayDeque<Pages>();
        var first = new ArrayDeque<RemoteFile>();
        first.add(top);
        return stream(
                () -> {
                    if (!first.isEmpty()) {
                        enter(mount, first.remove(), path, open);
                        return new Entry(path, top.attributes());
                    }
                    while (!open.isEmpty()) {
                        var pages = open.peek();
                        var named = pages.next();
                        if (named != null) {
                            var entry = pages.entry(named);
                            var file = new RemoteFile(named.handle(), named.attributes());
                            enter(mount, file, entry.path(), open);
                            return entry;
                        }
                        open.pop();
                    }
                    return null;
                });
    }

    private static void enter(
            NfsMount mount, RemoteFile file, PathName path, ArrayDeque<Pages> open)
            throws IOException {
        if (!file.attributes().isDirectory()) {
            return;
        }
        var above = open.peek();
        ParentDirectories.requireNoCycle(
                above == null ? null : above.directory, file.handle(), path.escaped());
        open.push(new Pages(mount, file.handle(), path, above));
    }

    private static Stream<Entry> stream(Source source) {
        var entries =
                new AbstractSpliterator<Entry>(
                        Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL) {
                    @Override
                    public boolean tryAdvance(Consumer<? super Entry> action) {
                        var entry = next(source);
                        if (entry == null) {
                            return false;
                        }
                        action.accept(entry);
                        return true;
                    }
                };
        return StreamSupport.stream(entries, false);
    }

    private static Entry next(Source source) {
        try {
            // A reply that is already there needs no wait, and only a wait notices an interrupt.
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return source.next();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new UncheckedIOException(Interruption.of(interrupted));
        }
    }
}
