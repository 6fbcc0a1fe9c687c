package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Files that are kept open between calls: a bounded number of them, fewer if the process may not
 * have so many, and not for long, since a file that somebody removes takes up its room until it is
 * closed. Thread-safe: a file in use is not closed under its user.
 */
final class OpenFiles implements AutoCloseable {
    static final int KEPT_MAX = 256;

    /**
     * How long a file is kept that nobody uses; up to twice as long, as they are looked through.
     */
    private static final Duration UNUSED_MAX = Duration.ofSeconds(5);

    /** Archives have no links, and their files are not opened with an option for links. */
    private static final String ARCHIVE_SCHEME = "jar";

    /** How the operating system says that a process, or all together, have too many files open. */
    private static final String TOO_MANY = "too many open files";

    /** Opens files; a test may refuse to. */
    interface Opener {
        FileChannel open(Path path, Set<OpenOption> options) throws IOException;
    }

    private record Key(Tree tree, FileId file, boolean writable) {}

    /** A file in use; closing it gives it back. */
    final class Use implements AutoCloseable {
        private final Key key;
        private final FileChannel channel;
        private int users;
        private boolean dropped;

        /** When its last user was done, by {@link System#nanoTime}. */
        private long unusedSince;

        private Use(Key key, FileChannel channel) {
            this.key = key;
            this.channel = channel;
        }

        FileChannel channel() {
            return channel;
        }

        @Override
        public void close() {
            giveBack(this);
        }
    }

    private final Map<Key, Use> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Opener opener;
    private final long unusedMaxNanos;

    /** Whether a thread looks through what is kept; it ends when there is nothing. */
    private boolean watched;

    private boolean closed;

    OpenFiles() {
        this(FileChannel::open, UNUSED_MAX);
    }

    /**
     * @param unusedMax how long a file is kept that nobody uses
     */
    OpenFiles(Opener opener, Duration unusedMax) {
        this.opener = opener;
        this.unusedMaxNanos = unusedMax.toNanos();
    }

    /** How many files are open and not in use, or in use and to be kept. */
    int size() {
        synchronized (kept) {
            return kept.size();
        }
    }

    /** Opens a regular file, or takes the one that is open. */
    Use open(Located file, boolean writable) throws IOException {
        var key = new Key(file.tree(), file.id(), writable);
        synchronized (kept) {
            if (closed) {
                throw new IOException("the server is closed");
            }
            var use = kept.get(key);
            // A thread that is interrupted in a transfer takes the channel with it.
            if (use != null && use.channel.isOpen()) {
                use.users++;
                return use;
            }
        }
        var use = new Use(key, openAnew(file, writable));
        synchronized (kept) {
            use.users++;
            if (closed) {
                use.dropped = true;
                return use;
            }
            drop(kept.put(key, use));
            if (kept.size() > KEPT_MAX) {
                var eldest = kept.values().iterator();
                var oldest = eldest.next();
                eldest.remove();
                drop(oldest);
            }
            if (!watched) {
                watched = true;
                Thread.ofVirtual().name("nfs-open-files").start(this::watch);
            }
        }
        return use;
    }

    private void watch() {
        synchronized (kept) {
            try {
                while (!closed && !kept.isEmpty()) {
                    TimeUnit.NANOSECONDS.timedWait(kept, unusedMaxNanos);
                    long now = System.nanoTime();
                    closeUnused(use -> now - use.unusedSince >= unusedMaxNanos);
                }
            } catch (InterruptedException _) {
                // Nobody does that; the next file that is opened has a new thread watch it.
            }
            watched = false;
        }
    }

    private FileChannel openAnew(Located file, boolean writable) throws IOException {
        var options = options(file, writable);
        try {
            return opener.open(file.path(), options);
        } catch (FileSystemException failure) {
            if (!isForTooMany(failure)) {
                throw failure;
            }
            closeUnused(_ -> true);
            return opener.open(file.path(), options);
        }
    }

    /** Whether a file could have been opened if others were not. */
    static boolean isForTooMany(FileSystemException failure) {
        var reason = failure.getReason();
        return reason != null && reason.toLowerCase(Locale.ROOT).contains(TOO_MANY);
    }

    private void closeUnused(Predicate<Use> isMeant) {
        synchronized (kept) {
            kept.values()
                    .removeIf(
                            use -> {
                                boolean goes = use.users == 0 && isMeant.test(use);
                                if (goes) {
                                    drop(use);
                                }
                                return goes;
                            });
        }
    }

    private static Set<OpenOption> options(Located file, boolean writable) {
        var options = new HashSet<OpenOption>();
        options.add(writable ? StandardOpenOption.WRITE : StandardOpenOption.READ);
        var provider = file.path().getFileSystem().provider();
        if (!provider.getScheme().equals(ARCHIVE_SCHEME)) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options;
    }

    /** The file was removed: it is not kept any more. */
    void forget(Tree tree, FileId file) {
        synchronized (kept) {
            drop(kept.remove(new Key(tree, file, true)));
            drop(kept.remove(new Key(tree, file, false)));
        }
    }

    private void giveBack(Use use) {
        synchronized (kept) {
            use.users--;
            use.unusedSince = System.nanoTime();
            closeIfUnused(use);
        }
    }

    private static void drop(Use use) {
        if (use != null) {
            use.dropped = true;
            closeIfUnused(use);
        }
    }

    private static void closeIfUnused(Use use) {
        if (use.dropped && use.users == 0) {
            try {
                use.channel.close();
            } catch (IOException _) {
                // What was written was written; COMMIT reports what was not.
            }
        }
    }

    @Override
    public void close() {
        synchronized (kept) {
            closed = true;
            kept.values().forEach(OpenFiles::drop);
            kept.clear();
            kept.notifyAll();
        }
    }
}
