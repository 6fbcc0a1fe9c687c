package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.NameMemory;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Walks a directory tree of a server in the order of its names: each directory, then all that is
 * below it. Symbolic links are not followed. Several directories are listed at a time, ahead of the
 * one that is visited, so that the round trips overlap. The visitor is called by the walking thread
 * alone.
 */
public final class TreeWalk {
    /** The most subdirectories of each open directory that are listed ahead. */
    private static final int AHEAD = 8;

    /** Receives the files of a walk. An exception of a method ends the walk. */
    public interface Visitor {
        /** Receives a file; directories before their entries. */
        void visit(Visit file) throws IOException, InterruptedException;

        /** Returns whether the walk goes into a directory. Asked ahead of the visit. */
        default boolean enters(Visit directory) {
            return true;
        }

        /** Returns what it uses of the files below the top. */
        default Wanted wanted() {
            return Wanted.ALL;
        }

        /** Receives the sorted entries of a directory, before any of them is visited. */
        default void listed(Visit directory, List<NamedFile> entries)
                throws IOException, InterruptedException {}

        /** Reports that everything below an entered directory was visited, or could not be. */
        default void left(Visit directory) throws IOException, InterruptedException {}

        /**
         * Reports that a directory could not be listed. The walk leaves it, and goes on with the
         * next file.
         *
         * @param why its message is one line for a user
         */
        void failed(Visit directory, IOException why);
    }

    /** A file of a walk. Immutable. */
    public static final class Visit {
        private final NamedFile file;
        private final Visit above;
        private final PathName top;
        private final int depth;

        /** The directories down to this one; null if it is no directory. */
        private final ParentDirectories parents;

        private Visit(NamedFile file, Visit above, PathName top) {
            this.file = file;
            this.above = above;
            this.top = top;
            this.depth = above == null ? 0 : above.depth + 1;
            this.parents =
                    file.attributes().isDirectory()
                            ? new ParentDirectories(
                                    file.handle(),
                                    above == null ? top.escaped() : file.name().escaped(),
                                    above == null ? null : above.parents)
                            : null;
        }

        /** Returns the file under its name. The name of the top is the last one of its path. */
        public NamedFile file() {
            return file;
        }

        /** Returns the directory that holds the file; null at the top. */
        public Visit above() {
            return above;
        }

        /** Returns how many names below the top it lies; 0 for the top. */
        public int depth() {
            return depth;
        }

        /** Returns the path from the root of the server. */
        public PathName path() {
            var names = new ArrayList<FileName>(depth);
            for (var at = this; at.above != null; at = at.above) {
                names.add(at.file.name());
            }
            return top.resolve(names.reversed());
        }

        /** Returns the path for messages: control characters are escaped. */
        public String shown() {
            if (above == null) {
                return top.escaped();
            }
            return ParentDirectories.path(above.parents, file.name().escaped());
        }
    }

    /** A directory that is listed before the walk reaches it. */
    private record Ahead(
            Visit directory, Future<List<NamedFile>> entries, NameMemory.Share names) {}

    /** A directory whose entries are visited. */
    private static final class Open {
        final Visit directory;
        final List<NamedFile> entries;
        final NameMemory.Share names;
        final ArrayDeque<Ahead> ahead = new ArrayDeque<>();
        int next;

        /** The first entry that no look ahead has considered. */
        int unseen;

        Open(Visit directory, List<NamedFile> entries, NameMemory.Share names) {
            this.directory = directory;
            this.entries = entries;
            this.names = names;
        }

        Visit visit(int at) {
            return new Visit(entries.get(at), directory, directory.top);
        }
    }

    private final NfsMount mount;
    private final Visitor visitor;
    private final ExecutorService threads;
    private final Semaphore calls;
    private final NameMemory memory = new NameMemory();
    private final ArrayDeque<Open> open = new ArrayDeque<>();

    private TreeWalk(
            NfsMount mount, ClientOptions options, Visitor visitor, ExecutorService threads) {
        this.mount = mount;
        this.visitor = visitor;
        this.threads = threads;
        this.calls = new Semaphore(options.files());
    }

    /**
     * Walks a file and everything below it.
     *
     * @param options limits how many directories are listed at a time
     * @param path of the top, from the root of the server
     * @throws RpcException if the server cannot be reached any more
     */
    public static void walk(
            NfsMount mount, ClientOptions options, RemoteFile top, PathName path, Visitor visitor)
            throws IOException, InterruptedException {
        var names = path.names();
        var named =
                new NamedFile(
                        names.isEmpty() ? FileName.SELF : names.getLast(),
                        top.handle(),
                        top.attributes());
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            new TreeWalk(mount, options, visitor, threads).run(new Visit(named, null, path));
        } finally {
            threads.shutdownNow();
            threads.close();
        }
    }

    private void run(Visit top) throws IOException, InterruptedException {
        visitor.visit(top);
        if (isEntered(top)) {
            enter(ahead(top));
        }
        while (!open.isEmpty()) {
            var directory = open.peek();
            if (directory.next < directory.entries.size()) {
                next(directory);
            } else {
                open.pop();
                directory.names.close();
                visitor.left(directory.directory);
            }
        }
    }

    private void next(Open directory) throws IOException, InterruptedException {
        int at = directory.next++;
        directory.unseen = Math.max(directory.unseen, directory.next);
        var first = directory.ahead.peek();
        boolean isAhead = first != null && first.directory.file == directory.entries.get(at);
        if (isAhead) {
            directory.ahead.remove();
        }
        var visit = isAhead ? first.directory : directory.visit(at);
        visitor.visit(visit);
        if (isAhead) {
            lookAhead(directory);
            enter(first);
        } else if (isEntered(visit)) {
            var entered = ahead(visit);
            lookAhead(directory);
            enter(entered);
        }
    }

    private boolean isEntered(Visit file) {
        return file.file.attributes().isDirectory() && visitor.enters(file);
    }

    private void lookAhead(Open directory) {
        while (directory.ahead.size() < AHEAD && directory.unseen < directory.entries.size()) {
            int at = directory.unseen++;
            if (directory.entries.get(at).attributes().isDirectory()) {
                var visit = directory.visit(at);
                if (visitor.enters(visit)) {
                    directory.ahead.add(ahead(visit));
                }
            }
        }
    }

    /** Begins to list a directory. */
    private Ahead ahead(Visit directory) {
        var names = memory.share();
        var entries =
                threads.submit(
                        () -> {
                            calls.acquire();
                            try {
                                return list(directory, names);
                            } finally {
                                calls.release();
                            }
                        });
        return new Ahead(directory, entries, names);
    }

    private List<NamedFile> list(Visit directory, NameMemory.Share names)
            throws IOException, InterruptedException {
        var shown = directory.shown();
        var above = directory.above == null ? null : directory.above.parents;
        ParentDirectories.requireNoCycle(above, directory.file.handle(), shown);
        return mount.list(directory.file.handle(), visitor.wanted(), shown, names).stream()
                .sorted(Comparator.comparing(each -> RawText.of(each.name().bytes())))
                .toList();
    }

    /** Waits for the entries of a directory, and opens it. */
    private void enter(Ahead directory) throws IOException, InterruptedException {
        try {
            var entries = entries(directory);
            var entered = new Open(directory.directory, entries, directory.names);
            open.push(entered);
            visitor.listed(directory.directory, entries);
            lookAhead(entered);
        } catch (Unlisted failure) {
            directory.names.close();
            visitor.failed(directory.directory, failure.why);
            visitor.left(directory.directory);
        }
    }

    /** Thrown for a directory that could not be listed; the others can. */
    private static final class Unlisted extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient IOException why;

        Unlisted(IOException why) {
            super(why);
            this.why = why;
        }
    }

    private List<NamedFile> entries(Ahead directory)
            throws Unlisted, RpcException, InterruptedException {
        try {
            return directory.entries.get();
        } catch (ExecutionException failed) {
            return switch (failed.getCause()) {
                case RpcException ofAll -> throw ofAll;
                case NfsException refused -> throw new Unlisted(refused);
                case IOException _ -> again(directory);
                case RuntimeException broken -> throw broken;
                case Error broken -> throw broken;
                default -> throw new CancellationException(failed.getCause().toString());
            };
        }
    }

    /** Lists a directory now: when it was listed ahead, there may have been no memory for it. */
    private List<NamedFile> again(Ahead directory)
            throws Unlisted, RpcException, InterruptedException {
        directory.names.close();
        try {
            return list(directory.directory, directory.names);
        } catch (RpcException ofAll) {
            throw ofAll;
        } catch (IOException ofOne) {
            throw new Unlisted(ofOne);
        }
    }
}
