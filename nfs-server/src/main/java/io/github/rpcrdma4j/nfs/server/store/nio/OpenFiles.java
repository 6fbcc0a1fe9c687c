package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.WriteVerifier;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Files that are kept open between calls: a bounded number of them, fewer if the process may not
 * have so many, and not for long, since a file that is removed takes up its room until it is
 * closed, and one that is open for writing cannot be run as a program. What was written to a file
 * is forced before it is closed: a failure that is not seen then would never be. Thread-safe: a
 * file in use is not closed under its user, and nothing is closed under the lock.
 */
final class OpenFiles implements AutoCloseable {
    static final int KEPT_MAX = 256;

    /** How long a file is kept that is not used; longer by a time of the writable ones. */
    private static final Duration UNUSED_MAX = Duration.ofSeconds(5);

    /** Likewise one that is open for writing. */
    private static final Duration WRITABLE_UNUSED_MAX = Duration.ofSeconds(1);

    /** Archives have no links, and their files are not opened with an option for links. */
    private static final String ARCHIVE_SCHEME = "jar";

    /** Opens files; a test may refuse to. */
    interface Opener {
        FileChannel open(Path path, Set<OpenOption> options) throws IOException;

        /** Whether a directory that is there cannot be opened: there are no descriptors left. */
        default boolean isExhausted(Path directory) {
            try (var _ = Files.newDirectoryStream(directory)) {
                return false;
            } catch (IOException failure) {
                return isOfNoType(failure);
            }
        }
    }

    /** A file could have been opened if others were not. */
    static final class TooManyException extends IOException {
        private static final long serialVersionUID = 1L;

        TooManyException() {
            super("too many files are open");
        }
    }

    private record Key(Inode file, boolean writable) {}

    /** A file in use; closing it gives it back. */
    final class Use implements AutoCloseable {
        private final Key key;
        private final FileChannel channel;

        /** Held while what was written is forced: who forces next sees what that did. */
        private final ReentrantLock forcing = new ReentrantLock();

        private volatile boolean hasUnforced;
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

        /** Bytes are about to be written. */
        void writes() {
            hasUnforced = true;
        }

        /**
         * Brings to storage what was written.
         *
         * @throws IOException if that failed; the write verifier is another one then
         */
        void force(boolean withAttributes) throws IOException {
            forcing.lock();
            try {
                hasUnforced = false;
                channel.force(withAttributes);
            } catch (IOException failure) {
                // A channel that an interrupted call closed has failed in nothing.
                hasUnforced = true;
                if (channel.isOpen()) {
                    verifier.change();
                }
                throw failure;
            } finally {
                forcing.unlock();
            }
        }

        /** Whether its last user is done with it, and it is not kept. */
        private boolean isOver() {
            return dropped && users == 0;
        }

        private void finish() {
            try (channel) {
                if (hasUnforced) {
                    if (channel.isOpen()) {
                        force(false);
                    } else {
                        verifier.change();
                    }
                }
            } catch (IOException _) {
                // The write verifier tells.
            }
        }

        @Override
        public void close() {
            giveBack(this);
        }
    }

    private final Map<Key, Use> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Opener opener;
    private final WriteVerifier verifier;
    private final Duration unusedMax;
    private final Duration writableUnusedMax;

    /** Whether a thread looks through what is kept; it ends when there is nothing. */
    private boolean watched;

    private boolean closed;

    OpenFiles(WriteVerifier verifier) {
        this(FileChannel::open, verifier, UNUSED_MAX, WRITABLE_UNUSED_MAX);
    }

    /**
     * @param verifier changes when what was written may be lost
     * @param unusedMax how long a file is kept that is not used
     * @param writableUnusedMax likewise one that is open for writing
     */
    OpenFiles(
            Opener opener, WriteVerifier verifier, Duration unusedMax, Duration writableUnusedMax) {
        this.opener = opener;
        this.verifier = verifier;
        this.unusedMax = unusedMax;
        this.writableUnusedMax = writableUnusedMax;
    }

    /** How many files are open and not in use, or in use and to be kept. */
    int size() {
        synchronized (kept) {
            return kept.size();
        }
    }

    /** Opens a regular file, or takes the one that is open. */
    Use open(Located file, boolean writable) throws IOException {
        var key = new Key(file.inode(), writable);
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
        var use = new Use(key, openAnew(file.path(), writable));
        var over = new ArrayList<Use>();
        synchronized (kept) {
            use.users++;
            if (closed) {
                use.dropped = true;
                return use;
            }
            drop(kept.put(key, use), over);
            if (kept.size() > KEPT_MAX) {
                var eldest = kept.values().iterator();
                var oldest = eldest.next();
                eldest.remove();
                drop(oldest, over);
            }
            if (!watched) {
                watched = true;
                Thread.ofVirtual().name("nfs-open-files").start(this::watch);
            }
        }
        over.forEach(Use::finish);
        return use;
    }

    private void watch() {
        try {
            while (isToBeWatched()) {
                long now = System.nanoTime();
                closeUnused(
                        use ->
                                now - use.unusedSince
                                        >= (use.key.writable ? writableUnusedMax : unusedMax)
                                                .toNanos());
            }
        } catch (InterruptedException _) {
            // The next file that is opened has a new thread watch it.
        }
    }

    /** Waits for a time, and ends the watch if nothing is kept. */
    private boolean isToBeWatched() throws InterruptedException {
        synchronized (kept) {
            try {
                if (!closed && !kept.isEmpty()) {
                    TimeUnit.NANOSECONDS.timedWait(kept, writableUnusedMax.toNanos());
                }
            } finally {
                watched = !closed && !kept.isEmpty() && !Thread.currentThread().isInterrupted();
            }
            return watched;
        }
    }

    private FileChannel openAnew(Path path, boolean writable) throws IOException {
        var options = options(path, writable);
        try {
            return opener.open(path, options);
        } catch (IOException failure) {
            if (!isOfNoType(failure)) {
                throw failure;
            }
            closeUnused(_ -> true);
        }
        try {
            return opener.open(path, options);
        } catch (IOException failure) {
            if (isOfNoType(failure) && opener.isExhausted(path.getParent())) {
                throw new TooManyException();
            }
            throw failure;
        }
    }

    /** Whether there are only words that tell the reason. */
    private static boolean isOfNoType(IOException failure) {
        return failure.getClass() == FileSystemException.class;
    }

    private void closeUnused(Predicate<Use> isMeant) {
        var over = new ArrayList<Use>();
        synchronized (kept) {
            kept.values()
                    .removeIf(
                            use -> {
                                boolean goes = use.users == 0 && isMeant.test(use);
                                if (goes) {
                                    drop(use, over);
                                }
                                return goes;
                            });
        }
        over.forEach(Use::finish);
    }

    private static Set<OpenOption> options(Path path, boolean writable) {
        var options = new HashSet<OpenOption>();
        options.add(writable ? StandardOpenOption.WRITE : StandardOpenOption.READ);
        if (!path.getFileSystem().provider().getScheme().equals(ARCHIVE_SCHEME)) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options;
    }

    /**
     * A name of a file was removed: the file is not kept any more.
     *
     * @param wasLast whether it had no other name, so that nothing of it needs to be forced
     */
    void forget(Inode file, boolean wasLast) {
        var over = new ArrayList<Use>();
        synchronized (kept) {
            for (boolean writable : new boolean[] {true, false}) {
                var use = kept.remove(new Key(file, writable));
                if (use != null && wasLast) {
                    use.hasUnforced = false;
                }
                drop(use, over);
            }
        }
        over.forEach(Use::finish);
    }

    private void giveBack(Use use) {
        boolean over;
        synchronized (kept) {
            use.users--;
            use.unusedSince = System.nanoTime();
            over = use.isOver();
        }
        if (over) {
            use.finish();
        }
    }

    /** Adds it to those that are to be closed, unless it is in use. */
    private static void drop(Use use, List<Use> over) {
        if (use != null) {
            use.dropped = true;
            if (use.isOver()) {
                over.add(use);
            }
        }
    }

    @Override
    public void close() {
        var over = new ArrayList<Use>();
        synchronized (kept) {
            closed = true;
            kept.values().forEach(use -> drop(use, over));
            kept.clear();
            kept.notifyAll();
        }
        over.forEach(Use::finish);
    }
}
