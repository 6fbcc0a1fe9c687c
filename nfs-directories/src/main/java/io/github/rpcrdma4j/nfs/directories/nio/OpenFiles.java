package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
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
 * A cache of open files between calls. Their number is bounded, and lower if the process may open
 * fewer. They are closed soon after their last use: an open file that was removed keeps its
 * storage, and one that is open for writing cannot be run as a program. Written data is forced
 * before its file is closed, because no later call could report its loss. Thread-safe. No file is
 * closed while a call uses it, and nothing is forced or closed under the lock.
 */
final class OpenFiles implements AutoCloseable {
    static final int KEPT_MAX = 256;

    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(OpenFiles.class.getName()));

    /** How long an unused file is kept; up to {@link #WRITABLE_UNUSED_MAX} longer. */
    private static final Duration UNUSED_MAX = Duration.ofSeconds(5);

    /** How long an unused file that is open for writing is kept. */
    private static final Duration WRITABLE_UNUSED_MAX = Duration.ofSeconds(1);

    /** Opens files. Tests replace it to simulate failures. */
    interface Opener {
        FileChannel open(Path path, Set<OpenOption> options) throws IOException;

        /**
         * Returns whether an existing directory cannot be opened, since the process has no
         * descriptors left.
         */
        default boolean isExhausted(Path directory) {
            try (var _ = Files.newDirectoryStream(directory)) {
                return false;
            } catch (IOException failure) {
                return isOfNoType(failure);
            }
        }
    }

    /** Reports that a file could not be opened because too many others are open. */
    static final class TooManyException extends IOException {
        private static final long serialVersionUID = 1L;

        TooManyException() {
            super("too many files are open");
        }
    }

    private record Key(Inode file, boolean writable) {}

    /** An open file in use; closing this ends the use. */
    final class Use implements AutoCloseable {
        private final FileChannels file;
        private final boolean writable;
        private final FileChannel channel;

        /** Whether written data is possibly not on storage yet. */
        private final AtomicBoolean unforced = new AtomicBoolean();

        /** The number of calls that use it, plus one while it is finished. */
        private int users = 1;

        private boolean dropped;

        /** When its last user released it, by {@link System#nanoTime}. */
        private long unusedSince;

        private Use(FileChannels file, boolean writable, FileChannel channel) {
            this.file = file;
            this.writable = writable;
            this.channel = channel;
        }

        FileChannel channel() {
            return channel;
        }

        /** Marks data as unforced. Call this before and after each write. */
        void writes() {
            unforced.set(true);
        }

        /**
         * Forces written data to storage.
         *
         * @throws IOException if this fails; the write verifier has then changed
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
                    // An interrupted call closed the channel; the storage did not fail.
                    unforced.set(true);
                }
                throw failure;
            } finally {
                file.forcing.unlock();
            }
        }

        /**
         * Forces the data that was written to the file by all its channels to storage.
         *
         * @return the write verifier
         * @throws IOException if data was lost; the write verifier has then changed
         */
        long commit() throws IOException {
            var others = new ArrayList<Use>();
            file.forcing.lock();
            try {
                takeOthers(this, others);
                for (var each : others) {
                    each.forceOrLose();
                }
                // This also forces data of other processes, or of this server before its last
                // start.
                force(true);
                return verifier.now();
            } finally {
                file.forcing.unlock();
                others.forEach(Use::close);
            }
        }

        /** Forces the data. If the channel is closed, its data counts as lost. */
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
                    // There will be no further attempt, so the data counts as lost.
                    unforced.set(false);
                    verifier.change();
                }
            } finally {
                file.forcing.unlock();
            }
        }

        /**
         * Forces written data and closes the channel, unless a COMMIT has started to use it and
         * will close it.
         */
        private void finish() {
            if (unforced.get()) {
                forceAtLast();
            }
            if (leave(this)) {
                try {
                    channel.close();
                } catch (IOException _) {
                    // All data that was written through it is on storage, or the verifier has
                    // changed.
                }
            }
        }

        @Override
        public void close() {
            release(this);
        }
    }

    /**
     * The kept files. The monitor of this map guards it, {@link #files} and the mutable fields of
     * their objects.
     */
    private final Map<Key, Use> kept = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * All files with open channels or with calls that force them, including those that are not kept
     * any more.
     */
    private final Map<Inode, FileChannels> files = new HashMap<>();

    private final Opener opener;
    private final WriteVerifier verifier;
    private final Duration unusedMax;
    private final Duration writableUnusedMax;

    /** Whether a thread closes unused files; it ends when none is kept. */
    private boolean watched;

    private boolean closed;

    OpenFiles(WriteVerifier verifier) {
        this(FileChannel::open, verifier, UNUSED_MAX, WRITABLE_UNUSED_MAX);
    }

    /**
     * @param verifier changes when written data may be lost
     * @param unusedMax how long to keep an unused file
     * @param writableUnusedMax how long to keep an unused file that is open for writing
     */
    OpenFiles(
            Opener opener, WriteVerifier verifier, Duration unusedMax, Duration writableUnusedMax) {
        this.opener = opener;
        this.verifier = verifier;
        this.unusedMax = unusedMax;
        this.writableUnusedMax = writableUnusedMax;
    }

    /** Returns the number of kept files, used or unused. */
    int size() {
        synchronized (kept) {
            return kept.size();
        }
    }

    /** Returns the number of files with open channels, kept or not. */
    int files() {
        synchronized (kept) {
            return files.size();
        }
    }

    /** Opens a regular file, or returns the kept one. */
    Use open(ResolvedFile file, boolean writable) throws IOException {
        var key = new Key(file.inode(), writable);
        synchronized (kept) {
            if (closed) {
                throw new IOException("the server is closed");
            }
            var use = kept.get(key);
            // The interrupt of a thread during a transfer closes the channel.
            if (use != null && use.channel.isOpen()) {
                use.users++;
                return use;
            }
        }
        var channel = openNew(file.path(), writable);
        var over = new ArrayList<Use>();
        Use use;
        synchronized (kept) {
            use = new Use(files.computeIfAbsent(key.file, FileChannels::new), writable, channel);
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
                try {
                    closeUnused(System.nanoTime());
                } catch (RuntimeException | Error broken) {
                    FAILURES.report("an unused file was not closed", broken);
                }
            }
        } catch (InterruptedException _) {
            // Opening the next file starts another thread.
        }
    }

    private void closeUnused(long now) {
        closeUnused(
                use ->
                        now - use.unusedSince
                                >= (use.writable ? writableUnusedMax : unusedMax).toNanos());
    }

    /** Waits for a moment, and returns whether to continue. */
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

    private FileChannel openNew(Path path, boolean writable) throws IOException {
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

    /** Returns whether only the message of a failure tells its reason. */
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
        // Archives have no links, and opening their files with NOFOLLOW_LINKS fails.
        if (!NioStore.isArchive(path.getFileSystem())) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options;
    }

    /**
     * Stops keeping a file that lost a name.
     *
     * @param wasLast whether it had no other name, so that its data need not be forced
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
     * Forces a file to storage through a given channel.
     *
     * @throws IOException if this fails; the write verifier has then changed
     */
    void force(Inode inode, FileChannel channel) throws IOException {
        FileChannels file;
        synchronized (kept) {
            file = files.computeIfAbsent(inode, FileChannels::new);
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

    private void forgetIfUnused(FileChannels file) {
        if (file.uses.isEmpty() && file.guests == 0) {
            files.remove(file.inode);
        }
    }

    /** Collects the file's other channels with unforced data, and counts one more user of each. */
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

    private void release(Use use) {
        var over = new ArrayList<Use>();
        synchronized (kept) {
            use.users--;
            use.unusedSince = System.nanoTime();
            finishIfOver(use, over);
        }
        over.forEach(Use::finish);
    }

    /** Stops keeping an open file. Adds it to those to finish, unless a call uses it. */
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

    /** Ends the use by the finishing call, and returns whether it was the last one. */
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
