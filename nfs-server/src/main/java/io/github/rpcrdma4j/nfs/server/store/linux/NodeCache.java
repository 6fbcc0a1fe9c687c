package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Nodes that are kept open between calls: a bounded number over all stores, and not for long after
 * their last use, since a file that is removed behind our back takes up its room until it is
 * closed. Thread-safe.
 */
final class NodeCache {
    private record Key(LinuxStore store, FileId id) {}

    private record Kept(Key key, LinuxNode node) {}

    private final int max;
    private final ConcurrentHashMap<Key, LinuxNode> nodes = new ConcurrentHashMap<>();

    /** All that are kept, and some that are not any more, in the order of the next look. */
    private final ConcurrentLinkedQueue<Kept> clock = new ConcurrentLinkedQueue<>();

    private final AtomicInteger queued = new AtomicInteger();

    /**
     * @param max how many are kept at most, and one more for each thread that adds one
     */
    NodeCache(int max) {
        this.max = max;
    }

    int size() {
        return nodes.size();
    }

    /** A node with a reference for the caller; null if it is not kept. */
    LinuxNode find(LinuxStore store, FileId id) {
        var node = nodes.get(new Key(store, id));
        return node != null && node.acquire() ? node : null;
    }

    /**
     * Keeps a node that has one reference, which becomes the caller's; the cache takes another.
     *
     * @return the node, or the one that was kept already, with a reference for the caller
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

    /** Lets go of a node: its file was removed. */
    void drop(LinuxStore store, FileId id) {
        var node = nodes.remove(new Key(store, id));
        if (node != null) {
            node.release();
        }
    }

    /** Lets go of those that are not used, until so many are left. */
    void shrink(int wanted) {
        for (int looks = 2 * queued.get(); nodes.size() > wanted && looks > 0; looks--) {
            look(true);
        }
    }

    /** Lets go of those that were not used since this was last done. */
    void dropUnused() {
        for (int looks = queued.get(); looks > 0; looks--) {
            look(false);
        }
    }

    private void look(boolean full) {
        var kept = clock.poll();
        if (kept == null) {
            return;
        }
        if (nodes.get(kept.key) != kept.node) {
            queued.decrementAndGet();
        } else if (kept.node.used && !(full && nodes.size() > 2 * max)) {
            kept.node.used = false;
            clock.add(kept);
        } else {
            queued.decrementAndGet();
            if (nodes.remove(kept.key, kept.node)) {
                kept.node.release();
            }
        }
    }

    /** Lets go of all nodes of a store. */
    void dropAll(LinuxStore store) {
        for (var each : nodes.entrySet()) {
            if (each.getKey().store == store && nodes.remove(each.getKey(), each.getValue())) {
                each.getValue().release();
            }
        }
    }
}
