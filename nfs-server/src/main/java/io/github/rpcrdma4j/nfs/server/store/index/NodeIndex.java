package io.github.rpcrdma4j.nfs.server.store.index;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Where files are: from a key, which does not change, to directories and names. It is filled by
 * lookups and listings, and kept up by changes that are made through the server. A key that it does
 * not know, after a restart for example, is found by walking the tree. Thread-safe.
 *
 * <p>Everything is bounded. Beyond its size the index forgets what was not used for long, and walks
 * again if that is asked for. One walk runs at a time, on the thread that asked, and holds no lock.
 * After a walk that took some time, none starts for ten times as long: so walks take no more than a
 * small part of a processor, however many keys are asked for.
 *
 * @param <K> tells a file from all others; with {@code equals}
 */
public final class NodeIndex<K> implements AutoCloseable {
    /** How many files a store usually knows at most. */
    public static final int NODES_MAX = 500_000;

    /** How many names of one file are remembered. */
    public static final int NAMES_MAX = 8;

    /** Files that are known to be nowhere, so that asking again costs no walk. */
    private static final int GONE_MAX = 65_536;

    /** After a walk none starts for so many times as long. */
    private static final int REST = 10;

    /** How long a call waits for the walk of another one. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How many files are looked at to find one that may be forgotten. */
    private static final int TRIES_MAX = 64;

    /** Lists directories. */
    public interface Walker<K> {
        /**
         * Gives all entries of a directory but {@code .} and {@code ..}. It is called without a
         * lock of the index; {@link NodeIndex#names} tells where the directory is.
         *
         * @throws StoreException {@link Failure#ACCES} if the server may not list the directory;
         *     after any other failure it is not sure what the tree holds
         */
        void list(K directory, Sink<K> sink) throws StoreException;
    }

    /** Takes the entries of a directory. */
    public interface Sink<K> {
        /**
         * Takes an entry.
         *
         * @return false if no further entry is wanted
         */
        boolean add(FileName name, K file, boolean isDirectory);
    }

    /** A name in a directory. */
    public record Place<K>(K directory, FileName name) {}

    private final Walker<K> walker;
    private final int nodesMax;
    private final LongSupplier clock;
    private final KnownFile<K> root;
    private final LinkedHashMap<K, KnownFile<K>> nodes = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<K, Boolean> gone = new LinkedHashMap<>();

    /** How many further names are remembered, of all files. */
    private int otherNames;

    /** Whether every file that a handle was given for is known, or is gone. */
    private boolean complete;

    private boolean walking;
    private int walks;

    /** When the next walk may start. */
    private long restedAt;

    /** How often a directory has moved: a walk may have missed it. */
    private long moves;

    private boolean closed;

    /**
     * @param root the directory that all others are below
     * @param nodesMax how many files are known at most, unless more directories are needed to tell
     *     where files are
     */
    public NodeIndex(K root, Walker<K> walker, int nodesMax) {
        this(root, walker, nodesMax, System::nanoTime);
    }

    /**
     * @param clock in nanoseconds
     */
    NodeIndex(K root, Walker<K> walker, int nodesMax, LongSupplier clock) {
        this.walker = walker;
        this.nodesMax = nodesMax;
        this.clock = clock;
        this.root = new KnownFile<>(root);
        this.restedAt = clock.getAsLong();
        nodes.put(root, this.root);
    }

    public K root() {
        return root.key;
    }

    /** How many files are known. */
    public synchronized int size() {
        return nodes.size();
    }

    /** How often the tree was walked. */
    public synchronized int walks() {
        return walks;
    }

    /**
     * Makes sure that a file is known, if it is anywhere: this may walk the whole tree. No lock is
     * held by the caller that the walker, or other calls, need.
     *
     * @throws StoreException {@link Failure#STALE} if it is nowhere, {@link Failure#AGAIN} if that
     *     is not known yet and no walk may start now
     */
    public void find(K file) throws StoreException {
        long movesBefore;
        synchronized (this) {
            if (isKnown(file)) {
                return;
            }
            awaitWalk();
            if (isKnown(file)) {
                return;
            }
            if (walking || closed || clock.getAsLong() - restedAt < 0) {
                throw new StoreException(Failure.AGAIN);
            }
            walking = true;
            walks++;
            complete = true;
            movesBefore = moves;
        }
        var walk = new Walk(file);
        boolean sure = false;
        long started = clock.getAsLong();
        try {
            sure = walk.run();
        } finally {
            synchronized (this) {
                walk.pending.forEach(node -> node.children--);
                long ended = clock.getAsLong();
                restedAt = ended + REST * (ended - started);
                complete &= sure && movesBefore == moves;
                walking = false;
                notifyAll();
            }
        }
        synchronized (this) {
            if (nodes.containsKey(file)) {
                return;
            }
            if (!sure || movesBefore != moves) {
                throw new StoreException(Failure.AGAIN);
            }
            markGone(file);
            throw new StoreException(Failure.STALE);
        }
    }

    /**
     * @return false if only a walk can tell
     * @throws StoreException STALE if it is known to be nowhere
     */
    private boolean isKnown(K file) throws StoreException {
        if (nodes.containsKey(file)) {
            return true;
        }
        if (complete && !walking || gone.containsKey(file)) {
            throw new StoreException(Failure.STALE);
        }
        return false;
    }

    private void awaitWalk() {
        long deadline = System.nanoTime() + WAIT_NANOS;
        try {
            long left = WAIT_NANOS;
            while (walking && !closed && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
                left = deadline - System.nanoTime();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** The names that lead from the root to a file; empty if the file is not known. */
    public synchronized Optional<List<FileName>> names(K file) {
        var node = nodes.get(file);
        if (node == null) {
            return Optional.empty();
        }
        var names = new ArrayList<FileName>();
        for (var each = node.name(); each != null; each = each.parent().name()) {
            names.add(each.name());
        }
        Collections.reverse(names);
        return Optional.of(names);
    }

    /** A directory and a name in it that a file has; empty for the root and what is not known. */
    public synchronized Optional<Place<K>> place(K file) {
        var node = nodes.get(file);
        return node == null || node.name() == null
                ? Optional.empty()
                : Optional.of(new Place<>(node.name().parent().key, node.name().name()));
    }

    /** Learns that a directory has a file of that name. */
    public synchronized void learn(K directory, FileName name, K file, boolean isDirectory) {
        learned(nodes.get(directory), name, file, isDirectory);
    }

    /** What was learned; null if there is nothing to remember. */
    private KnownFile<K> learned(KnownFile<K> parent, FileName name, K file, boolean isDirectory) {
        gone.remove(file);
        if (parent == null || file.equals(root.key)) {
            return null;
        }
        var node = nodes.get(file);
        if (node == null) {
            node = new KnownFile<>(file, isDirectory, parent, name);
            nodes.put(file, node);
            forgetEldest(node);
            return node;
        }
        node.isDirectory = isDirectory;
        if (!node.name().is(parent, name)) {
            int otherNamesBefore = node.otherNames();
            if (!isDirectory) {
                addName(node, parent, name);
            } else if (!parent.isBelow(node)) {
                // Else a directory would be below itself, as a broken file system may say.
                moves++;
                node.move(parent, name);
            }
            otherNames += node.otherNames() - otherNamesBefore;
        }
        return node;
    }

    private void addName(KnownFile<K> node, KnownFile<K> parent, FileName name) {
        node.addName(parent, name);
        if (node.otherNames() >= NAMES_MAX || otherNames >= nodesMax) {
            node.forgetLastName();
        }
    }

    private boolean useNextName(KnownFile<K> node) {
        boolean has = node.useNextName();
        otherNames -= has ? 1 : 0;
        return has;
    }

    private boolean forgetOther(KnownFile<K> node, KnownFile<K> parent, FileName name) {
        boolean known = node.forgetOther(parent, name);
        otherNames -= known ? 1 : 0;
        return known;
    }

    /**
     * Tells that a file is not where {@link #names} said.
     *
     * @param name the last of these names
     * @return whether there is another place now, where the file may be
     */
    public synchronized boolean misplaced(K file, FileName name) {
        var node = nodes.get(file);
        return node != null
                && node.name() != null
                && (!node.name().name().equals(name) || useNextName(node));
    }

    /**
     * Forgets that a directory has a file of that name.
     *
     * @param wasLast whether it was the only name of the file
     */
    public synchronized void forget(K directory, FileName name, K file, boolean wasLast) {
        if (wasLast) {
            markGone(file);
        }
        var node = nodes.get(file);
        var parent = nodes.get(directory);
        if (node == null || parent == null || node.name() == null) {
            return;
        }
        boolean known = node.name().is(parent, name);
        if (!wasLast && (known ? useNextName(node) : forgetOther(node, parent, name))) {
            return;
        }
        if (node.children == 0 && (wasLast || known)) {
            remove(node);
            // A file with other names is found under one of them, if it is asked for.
            complete &= wasLast;
        }
    }

    private void remove(KnownFile<K> node) {
        otherNames -= node.otherNames();
        node.forgetNames();
        nodes.remove(node.key);
    }

    private void markGone(K file) {
        gone.put(file, true);
        if (gone.size() > GONE_MAX) {
            gone.pollFirstEntry();
        }
    }

    /** Directories stay as long as something in them is known, or there would be gaps. */
    private void forgetEldest(KnownFile<K> fresh) {
        for (int tries = 0; nodes.size() > nodesMax && tries < TRIES_MAX; tries++) {
            var node = nodes.firstEntry().getValue();
            if (node.children > 0 || node == root || node == fresh) {
                nodes.get(node.key);
            } else {
                remove(node);
                complete = false;
            }
        }
    }

    /** A way through the whole tree. Its directories to come are kept in the index. */
    private final class Walk {
        private final K wanted;
        private final ArrayDeque<KnownFile<K>> pending = new ArrayDeque<>();

        /** A directory that is mounted below itself is listed once. */
        private final HashSet<K> seen = new HashSet<>();

        private boolean found;
        private boolean stopped;

        Walk(K wanted) {
            this.wanted = wanted;
        }

        /** Whether it has seen everything there is. */
        boolean run() {
            boolean sure = true;
            push(root);
            while (!stopped && !pending.isEmpty()) {
                var directory = pending.peek();
                if (seen.add(directory.key)) {
                    pending.remove();
                    try {
                        sure &= list(directory);
                    } finally {
                        unpin(directory);
                    }
                } else {
                    unpin(pending.remove());
                }
            }
            return sure && !stopped;
        }

        private void push(KnownFile<K> directory) {
            synchronized (NodeIndex.this) {
                directory.children++;
                pending.push(directory);
            }
        }

        private void unpin(KnownFile<K> directory) {
            synchronized (NodeIndex.this) {
                directory.children--;
            }
        }

        private boolean list(KnownFile<K> directory) {
            try {
                walker.list(
                        directory.key,
                        (name, file, isDirectory) -> take(directory, name, file, isDirectory));
                return true;
            } catch (StoreException hidden) {
                return hidden.failure() == Failure.ACCES;
            }
        }

        private boolean take(KnownFile<K> directory, FileName name, K file, boolean isDirectory) {
            synchronized (NodeIndex.this) {
                var node = learned(directory, name, file, isDirectory);
                found |= file.equals(wanted);
                if (isDirectory && node != null) {
                    push(node);
                }
                // One more, and what was found could be forgotten again.
                stopped = closed || found && nodes.size() >= nodesMax;
                return !stopped;
            }
        }
    }

    /** Ends a walk that is under way and waits for that. */
    @Override
    public synchronized void close() {
        closed = true;
        boolean interrupted = false;
        while (walking) {
            try {
                wait();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
