package io.github.rpcrdma4j.nfs.server.mount;

import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which clients have mounted what, as far as they said. Thread-safe. */
public final class MountList {
    /** The most entries of the list of mounts, which is advisory and so deserves little memory. */
    private static final int ENTRIES_MAX = 1024;

    private final Set<MountEntry> entries = new LinkedHashSet<>();

    public MountList() {
        // It is empty at first.
    }

    /** Adds an entry, in place of the oldest one if the list is full. */
    synchronized void add(MountEntry entry) {
        if (entries.size() == ENTRIES_MAX) {
            entries.remove(entries.iterator().next());
        }
        entries.add(entry);
    }

    /** Returns whether the entry was there. */
    synchronized boolean remove(MountEntry entry) {
        return entries.remove(entry);
    }

    /** Removes all entries of a client. */
    synchronized void removeAll(String client) {
        entries.removeIf(entry -> entry.client().equals(client));
    }

    synchronized List<MountEntry> all() {
        return List.copyOf(entries);
    }
}
