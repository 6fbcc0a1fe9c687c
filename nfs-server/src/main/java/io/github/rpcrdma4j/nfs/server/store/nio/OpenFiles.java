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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Files that are kept open between calls: a bounded number of them, fewer if the process may not
 * have so many, and not for long, since a file that is removed takes up its room until it is
 * closed, and one that is open for writing cannot be run as a program. What was written to a file
 * is forced before it is closed: a failure that is not seen then would never be. Thread-safe: a
 * file in use is not closed under its user, and nothing is forced or closed under the lock.
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
        private final OpenFile file;
        private final boolean writable;
        private final FileChannel channel;

        /** Whether something was written that may not be on storage. */
        private final AtomicBoolean unforced = new AtomicBoolean();

        /** Calls that use it, and one more while it is finished. */
        private int users = 1;

        private boolean dropped;

        /** When its last user was done, by {@link System#nanoTime}. */
        private long unusedSince;

        private Use(OpenFile file, boolean writable, FileChannel channel) {
            this.file = file;
            this.writable = writable;
            this.channel = channel;
        }

        FileChannel channel() {
            return channel;
        }

        /** Bytes are about to be written. */
        void writes() {
            unforced.set(true);
        }

        /**
         * Brings to storage what was written.
         *
         * @throws IOException if that failed; the write verifier is another one then
         */
        void force(boolean withAttributes) throws IOException {
            file.forcing.lock();
            boolean had = unforced.getAndSet(false);
            try {
                channel.force(withAttributes);
            } catch (IOException | RuntimeException failure) {
                if (channel.isOpen()) {
                    verifier.change();
                } else if (had) {
                    // An interrupted call closed it, which is no failure of the storage.
                    unforced.set(true);
                }
                throw failure;
            } finally {
                file.forcing.unlock();
            }
        }

        /**
         * Brings to storage what was written to the file by all its channels.
         *
         * @return the write verifier, if nothing was lost
         * @throws IOException if something was; the write verifier is another one then
         */
        long commit() throws IOException {
            var others = new ArrayList<Use>();
            file.forcing.lock();
            try {
                takeOthers(this, others);
                for (var each : others) {
                    each.forceOrLose();
                }
                // Also what others wrote, or this server before its last start.
                force(true);
                return verifier.now();
            } finally {
                file.forcing.unlock();
                others.forEach(Use::close);
            }
        }

        /** Forces what it can; what was written by a channel that is closed counts as lost. */
        private void forceOrLose() throws IOException {
            if (channel.isOpen()) {
                force(true);
            } else {
                unforced.set(false);
                verifier.change();
            }
        }

        private void forceAtLast() {
            file.forcing.lock();
            try {
                if (unforced.get()) {
                    forceOrLose();
                }
            } catch (IOException | RuntimeException _) {
                if (unforced.get() && !channel.isOpen()) {
                    // There is no other time for it.
                    unforced.set(false);
                    verifier.change();
                }
            } finally {
                file.forcing.unlock();
            }
        }

        /** Forces what was written, and closes it unless a COMMIT has come and does. */
        private void finish() {
            if (unforced.get()) {
                forceAtLast();
            }
            if (leave(this)) {
                try {
                    channel.close();
                } catch (IOException _) {
                    // All that was written by it is on storage, or the verifier tells.
                }
            }
        }

        @Override
        public void close() {
            giveBack(this);
        }
    }

    /** Guards itself, {@link #files}, and what changes in their objects. */
    private final Map<Key, Use> kept = new LinkedHashMap<>(16, 0.75f, true);

    /** Files that have channels, or calls that force them; so those that are dropped are known. */
    private final Map<Inode, OpenFile> files = new HashMap<>();

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

    /** How many files have channels that are open, kept or not. */
    int files() {
        synchronized (kept) {
            return files.size();
        }
    }

    /** Opens a regular file, or takes the one that is open. */
    Use open(ResolvedFile file, boolean writable) throws IOException {
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
        var channel = openAnew(file.path(), writable);
        var over = new ArrayList<Use>();
        Use use;
        synchronized (kept) {
            use = new Use(files.computeIfAbsent(key.file, OpenFile::new), writable, channel);
            use.file.uses.add(use);
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
                                        >= (use.writable ? writableUnusedMax : unusedMax)
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
            var known = files.get(file);
            if (known == null) {
                return;
            }
            for (var use : known.uses) {
                if (wasLast) {
                    use.unforced.set(false);
                }
                if (kept.remove(new Key(file, use.writable), use)) {
                    drop(use, over);
                }
            }
        }
        over.forEach(Use::finish);
    }

    /**
     * Brings a file to storage by a channel of its own.
     *
     * @throws IOException if that failed; the write verifier is another one then
     */
    void force(Inode inode, FileChannel channel) throws IOException {
        OpenFile file;
        synchronized (kept) {
            file = files.computeIfAbsent(inode, OpenFile::new);
            file.guests++;
        }
        file.forcing.lock();
        try {
            channel.force(true);
        } catch (IOException | RuntimeException failure) {
            verifier.change();
            throw failure;
        } finally {
            file.forcing.unlock();
            synchronized (kept) {
                file.guests--;
                forgetIfUnused(file);
            }
        }
    }

    private void forgetIfUnused(OpenFile file) {
        if (file.uses.isEmpty() && file.guests == 0) {
            files.remove(file.inode);
        }
    }

    /** Adds a user to the file's other channels that wrote what is not on storage. */
    private void takeOthers(Use one, List<Use> others) {
        synchronized (kept) {
            for (var use : one.file.uses) {
                if (use != one && use.unforced.get()) {
                    use.users++;
                    others.add(use);
                }
            }
        }
    }

    private void giveBack(Use use) {
        var over = new ArrayList<Use>();
        synchronized (kept) {
            use.users--;
            use.unusedSince = System.nanoTime();
            finishIfOver(use, over);
        }
        over.forEach(Use::finish);
    }

    /** Adds it to those that are to be finished, unless it is in use. */
    private static void drop(Use use, List<Use> over) {
        if (use != null) {
            use.dropped = true;
            finishIfOver(use, over);
        }
    }

    private static void finishIfOver(Use use, List<Use> over) {
        if (use.dropped && use.users == 0) {
            use.users = 1;
            over.add(use);
        }
    }

    /** The call that finishes it is no user any more; tells whether there was no other. */
    private boolean leave(Use use) {
        synchronized (kept) {
            use.users--;
            if (use.users == 0) {
                use.file.uses.remove(use);
                forgetIfUnused(use.file);
            }
            return use.users == 0;
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
