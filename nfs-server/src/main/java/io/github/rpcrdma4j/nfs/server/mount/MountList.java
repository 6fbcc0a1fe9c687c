package io.github.rpcrdma4j.nfs.server.mount;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.mount.Mount3.MountEntry;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Which hosts have mounted what, as far as their users said. As with {@code rpc.mountd}, each user
 * of another host speaks for that host, from any port: it can add and remove all entries of the
 * host. A user of this machine speaks only for itself. Thread-safe.
 */
public final class MountList {
    /** The most entries of the list of mounts, which is advisory and so deserves little memory. */
    private static final int ENTRIES_MAX = 1024;

    /** So many a host may have, however many the others have. */
    private static final int WITHOUT_SHARE = 16;

    /** In their order. */
    private final List<Entry> entries = new ArrayList<>();

    public MountList() {
        // It is empty at first.
    }

    /**
     * Who has mounted something.
     *
     * @param host whose share it uses
     * @param address as it is shown
     */
    record Mounter(ClientAddress host, String address) {
        static Mounter of(RpcRequest request) {
            return new Mounter(request.client(), request.peer().getHostString());
        }
    }

    /** What a client has mounted. */
    record Entry(Mounter mounter, PathName path) {
        MountEntry shown() {
            return new MountEntry(mounter.address, path);
        }

        private boolean isOf(ClientAddress host) {
            return mounter.host.equals(host);
        }
    }

    /**
     * Adds an entry. If its host has its share, the oldest one of that host makes room; if the list
     * is full, that of the host with the most does.
     */
    synchronized void add(Entry entry) {
        if (entries.contains(entry)) {
            return;
        }
        var host = entry.mounter.host;
        long own = entries.stream().filter(each -> each.isOf(host)).count();
        if (own >= ClientAddress.share(ENTRIES_MAX, entries.size() - own, WITHOUT_SHARE)) {
            removeOldest(each -> each.isOf(host));
        } else if (entries.size() == ENTRIES_MAX) {
            var most = hostWithMost();
            removeOldest(each -> each.isOf(most));
        }
        entries.add(entry);
    }

    private ClientAddress hostWithMost() {
        var counts = new HashMap<ClientAddress, Integer>();
        entries.forEach(each -> counts.merge(each.mounter.host, 1, Integer::sum));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElseThrow();
    }

    private void removeOldest(Predicate<Entry> which) {
        entries.stream().filter(which).findFirst().ifPresent(entries::remove);
    }

    /** Returns whether the entry was there. */
    synchronized boolean remove(Entry entry) {
        return entries.remove(entry);
    }

    /** Removes all entries of a client. */
    synchronized void removeAll(Mounter mounter) {
        entries.removeIf(entry -> entry.mounter.equals(mounter));
    }

    synchronized List<Entry> all() {
        return List.copyOf(entries);
    }
}
