package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.FileId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A cache of nodes between calls, bounded over all stores. Nodes are closed soon after their last
 * use, and when their file has no name any more, since a file that a local process removes keeps
 * its storage until then. Thread-safe.
 */
final class NodeCache {
    private record Key(LinuxStore store, FileId id) {}

    private record Kept(Key key, LinuxNode node) {}

    private final int max;
    private final ConcurrentHashMap<Key, LinuxNode> nodes = new ConcurrentHashMap<>();

    /** All cached nodes, and some dropped ones, in the order of the next check. */
    private final ConcurrentLinkedQueue<Kept> clock = new ConcurrentLinkedQueue<>();

    private final AtomicInteger queued = new AtomicInteger();

    /**
     * @param max the most nodes, plus one for each thread that adds one
     */
    NodeCache(int max) {
        this.max = max;
    }

    int size() {
        return nodes.size();
    }

    /** Returns a node with a reference for the caller; null if it is not cached. */
    LinuxNode find(LinuxStore store, FileId id) {
        var node = nodes.get(new Key(store, id));
        return node != null && node.acquire() ? node : null;
    }

    /**
     * Caches a node and acquires a reference to it. The caller keeps its own reference.
     *
     * @return the node, or the one that was cached already, with a reference for the caller
     */
    LinuxNode keep(LinuxStore store, LinuxNode node) {
        var key = new Key(store, node.id);
        node.acquire();
        while (true) {
            var there = nodes.putIfAbsent(key, node);
            if (there == null) {
                clock.add(new Kept(key, node));
                queued.incrementAndGet();
                shrink(max);
                return node;
            }
            if (there.acquire()) {
                node.release();
                node.release();
                return there;
            }
            nodes.remove(key, there);
        }
    }

    /**
     * Drops a node whose file lost a name.
     *
     * @return whether it was cached
     */
    boolean drop(LinuxStore store, FileId id) {
        var node = nodes.remove(new Key(store, id));
        if (node != null) {
            node.release();
        }
        return node != null;
    }

    /** Drops unused nodes until this many are left. */
    void shrink(int wanted) {
        for (int checks = 2 * queued.get(); nodes.size() > wanted && checks > 0; checks--) {
            checkNext(true);
        }
    }

    /**
     * Drops the nodes that were not used since the last call of this method, and those whose files
     * have no name any more. Calls that look at no attributes use such a node for as long as they
     * come.
     */
    void dropUnused() {
        for (int checks = queued.get(); checks > 0; checks--) {
            checkNext(false);
        }
    }

    private void checkNext(boolean full) {
        var kept = clock.poll();
        if (kept == null) {
            return;
        }
        if (nodes.get(kept.key) != kept.node) {
            queued.decrementAndGet();
        } else if (kept.node.used && !(full && nodes.size() > 2 * max)) {
            if (!full && isGone(kept.node)) {
                queued.decrementAndGet();
                kept.key.store.all().forgetGone(kept.key.store, kept.node);
                return;
            }
            kept.node.used = false;
            clock.add(kept);
        } else {
            queued.decrementAndGet();
            if (nodes.remove(kept.key, kept.node)) {
                kept.node.release();
            }
        }
    }

    private static boolean isGone(LinuxNode node) {
        if (!node.acquire()) {
            return false;
        }
        var scratch = Scratch.acquire();
        try {
            return node.looksGone(scratch);
        } finally {
            scratch.release();
            node.release();
        }
    }

    /** Drops all nodes of a store. */
    void dropAll(LinuxStore store) {
        for (var each : nodes.entrySet()) {
            if (each.getKey().store == store && nodes.remove(each.getKey(), each.getValue())) {
                each.getValue().release();
            }
        }
    }
}
