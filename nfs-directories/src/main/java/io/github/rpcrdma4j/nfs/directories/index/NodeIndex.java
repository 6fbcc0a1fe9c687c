package io.github.rpcrdma4j.nfs.directories.index;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.StoreException;
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
 * An index from the key of a file, which does not change, to its directories and names. Lookups and
 * listings fill it, and changes through the server update it. The index finds an unknown key, for
 * example after a restart, by walking the tree. Thread-safe.
 *
 * <p>Its memory is bounded. Beyond its size it drops the least recently used files, and a later
 * request for one causes a walk. One walk runs at a time, on the requesting thread, and holds no
 * lock. After a walk, none starts for ten times its duration. So walks take only a small part of
 * one processor's time, for any number of requested keys.
 *
 * @param <K> the key of a file, compared with {@code equals}
 */
public final class NodeIndex<K> implements AutoCloseable {
    /** The usual maximum of files in the index of a store. */
    public static final int NODES_MAX = 500_000;

    /** The most names of one file in the index. */
    public static final int NAMES_MAX = 8;

    /** The most keys that are remembered as gone, so that requests for them cause no walk. */
    private static final int GONE_MAX = 65_536;

    /** After a walk none starts for this many times its duration. */
    private static final int REST = 10;

    /** How long a call waits for the walk of another call. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The most files to check for one that may be dropped. */
    private static final int TRIES_MAX = 64;

    /** Lists directories for a walk. */
    public interface Walker<K> {
        /**
         * Passes all entries of a directory but {@code .} and {@code ..} to the sink. The index
         * calls this without holding its lock; {@link NodeIndex#names} returns the path of the
         * directory.
         *
         * @throws StoreException {@link Failure#ACCES} if the server may not list the directory;
         *     any other failure leaves open whether the tree contains further files
         */
        void list(K directory, Sink<K> sink) throws StoreException;
    }

    /** Receives the entries of a directory. */
    public interface Sink<K> {
        /**
         * Receives an entry.
         *
         * @return whether to continue the listing
         */
        boolean add(FileName name, K file, boolean isDirectory);
    }

    /** A name in a directory. */
    public record DirectoryEntry<K>(K directory, FileName name) {}

    private final Walker<K> walker;
    private final int nodesMax;
    private final LongSupplier clock;
    private final KnownFile<K> root;
    private final LinkedHashMap<K, KnownFile<K>> nodes = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<K, Boolean> gone = new LinkedHashMap<>();

    /** The number of names of all files besides the first ones. */
    private int otherNames;

    /**
     * Whether the index contains every existing file that clients have handles of, so that a
     * missing file is gone.
     */
    private boolean complete;

    private boolean walking;
    private int walks;

    /** When the next walk may start. */
    private long restedAt;

    /** The number of moves of directories. A walk may miss a directory that moves. */
    private long moves;

    private boolean closed;

    /**
     * @param root the directory that contains all others
     * @param nodesMax the most files in the index; it may exceed this if the paths of known files
     *     need more directories
     */
    public NodeIndex(K root, Walker<K> walker, int nodesMax) {
        this(root, walker, nodesMax, System::nanoTime);
    }

    /**
     * @param clock returns a time in nanoseconds
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

    /** Returns the number of files in the index. */
    public synchronized int size() {
        return nodes.size();
    }

    /** Returns the number of walks so far. */
    public synchronized int walks() {
        return walks;
    }

    /**
     * Makes sure that the index contains a file, if the tree does. This may walk the whole tree.
     * The caller must hold no lock that the walker or other calls need.
     *
     * @throws StoreException {@link Failure#STALE} if the tree does not contain it, {@link
     *     Failure#AGAIN} if this is unknown and no walk may start now
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
     * @return false if only a walk can find out
     * @throws StoreException STALE if the tree is known not to contain it
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

    /**
     * Returns the names of the path from the root to a file; empty if the file is not in the index.
     */
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

    /**
     * Returns a directory and a name of a file in it; empty for the root and for files that are not
     * in the index.
     */
    public synchronized Optional<DirectoryEntry<K>> entry(K file) {
        var node = nodes.get(file);
        return node == null || node.name() == null
                ? Optional.empty()
                : Optional.of(new DirectoryEntry<>(node.name().parent().key, node.name().name()));
    }

    /** Records that a directory contains a file of that name. */
    public synchronized void learn(K directory, FileName name, K file, boolean isDirectory) {
        learned(nodes.get(directory), name, file, isDirectory);
    }

    /** Records a name and returns its file; null if there is nothing to record. */
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
                // The condition keeps a directory from being below itself, as a corrupt file system
                // may claim.
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

    private boolean dropFirstName(KnownFile<K> node) {
        boolean has = node.dropFirstName();
        otherNames -= has ? 1 : 0;
        return has;
    }

    private boolean forgetOther(KnownFile<K> node, KnownFile<K> parent, FileName name) {
        boolean known = node.forgetOther(parent, name);
        otherNames -= known ? 1 : 0;
        return known;
    }

    /**
     * Reports that a file is not at the path that {@link #names} returned.
     *
     * @param name the last name of that path
     * @return whether the index now has another path where the file may be
     */
    public synchronized boolean misplaced(K file, FileName name) {
        var node = nodes.get(file);
        return node != null
                && node.name() != null
                && (!node.name().name().equals(name) || dropFirstName(node));
    }

    /**
     * Removes a name of a file from a directory.
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
        if (!wasLast && (known ? dropFirstName(node) : forgetOther(node, parent, name))) {
            return;
        }
        if (node.children == 0 && (wasLast || known)) {
            remove(node);
            // If the file has further names, a walk finds it under one of them when it is
            // requested.
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

    /**
     * Drops the least recently used files. Directories stay while the index contains any of their
     * entries, since paths would have gaps otherwise.
     */
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

    /** A walk through the whole tree. The index keeps the directories that are still to list. */
    private final class Walk {
        private final K wanted;
        private final ArrayDeque<KnownFile<K>> pending = new ArrayDeque<>();

        /** Prevents a second listing of a directory that is mounted below itself. */
        private final HashSet<K> seen = new HashSet<>();

        private boolean found;
        private boolean stopped;

        Walk(K wanted) {
            this.wanted = wanted;
        }

        /** Walks, and returns whether it has seen the complete tree. */
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
                        (name, file, isDirectory) -> add(directory, name, file, isDirectory));
                return true;
            } catch (StoreException hidden) {
                return hidden.failure() == Failure.ACCES;
            }
        }

        private boolean add(KnownFile<K> directory, FileName name, K file, boolean isDirectory) {
            synchronized (NodeIndex.this) {
                var node = learned(directory, name, file, isDirectory);
                found |= file.equals(wanted);
                if (isDirectory && node != null) {
                    push(node);
                }
                // With one more file, the index might drop the one that was found.
                stopped = closed || found && nodes.size() >= nodesMax;
                return !stopped;
            }
        }
    }

    /** Stops a walk in progress and waits for its end. */
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
