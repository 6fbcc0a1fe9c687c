package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes what a source does not have from directories of this machine, or in a trial reports it.
 * The tree does not follow links. Files that the rules leave out stay, with the directories above
 * them, and so does a file system that is mounted below the tree.
 *
 * @param filled the directories that this copy fills. They stay, under any name by which they are
 *     listed
 */
record LocalExtras(
        LocalTree tree,
        CopyListener listener,
        JobQueue jobs,
        ShownPath shown,
        CopyRules rules,
        Set<FileIdentity> filled) {
    LocalExtras(
            LocalTree tree,
            CopyListener listener,
            JobQueue jobs,
            ShownPath shown,
            CopyRules rules) {
        this(tree, listener, jobs, shown, rules, ConcurrentHashMap.newKeySet());
    }

    /** Notes that a directory holds copies, so that it is not removed. */
    void fills(LocalPath directory) throws IOException {
        if (rules.deletes()) {
            filled.add(identity(tree.status(directory, what(directory))));
        }
    }

    private static FileIdentity identity(LocalStatus file) {
        return new FileIdentity(file.device(), file.inode());
    }

    /**
     * Removes files with everything below them.
     *
     * @param directory that holds them
     * @param extras the files as they were when the directory was listed
     */
    void remove(LocalPath directory, Map<LocalPath, LocalStatus> extras) throws IOException {
        long device = tree.status(directory, what(directory)).device();
        for (var each : extras.entrySet()) {
            var now = tree.find(each.getKey(), what(each.getKey()));
            if (now.isPresent() && !isFilled(now.get())) {
                if (isSame(each.getValue(), now.get())) {
                    removeTree(each.getKey(), device);
                } else {
                    jobs.failed(
                            new IOException(
                                    what(each.getKey()) + ": it has changed since it was listed"));
                }
            }
        }
    }

    /**
     * Returns whether a name still leads to the file that was listed. Numbers alone do not show it:
     * some file systems have one for all files. A file of several names changes if another of them
     * is replaced.
     */
    private static boolean isSame(LocalStatus listed, LocalStatus now) {
        return listed.inode() == now.inode()
                && listed.type() == now.type()
                && (listed.links() > 1
                        || listed.isDirectory()
                        || listed.size() == now.size()
                                && listed.modified().equals(now.modified())
                                && listed.changed().equals(now.changed()));
    }

    private boolean isFilled(LocalStatus file) {
        return file.isDirectory() && filled.contains(identity(file));
    }

    private String what(LocalPath file) {
        return "cannot remove " + shown.of(file);
    }

    /** A file that is to be removed, after the files in it if it was listed. */
    private record Pending(LocalPath file, boolean isListed) {}

    private void removeTree(LocalPath top, long device) {
        var pending = new ArrayDeque<Pending>();
        pending.push(new Pending(top, false));
        // Directories in which something stays.
        var kept = new HashSet<LocalPath>();
        while (!pending.isEmpty()) {
            var next = pending.pop();
            try {
                var status = tree.status(next.file, what(next.file));
                requireHere(status, device, next.file);
                if (!next.isListed && !rules.wants(next.file, shown.depth(), status.type())) {
                    keep(next.file, kept);
                } else if (status.isDirectory() && !next.isListed) {
                    pending.push(new Pending(next.file, true));
                    for (var name : tree.list(next.file, what(next.file))) {
                        pending.push(new Pending(next.file.child(name), false));
                    }
                } else if (kept.contains(next.file) || !rules.removes(shown.of(next.file))) {
                    keep(next.file, kept);
                } else {
                    remove(next.file, status);
                }
            } catch (IOException failure) {
                // A directory that keeps a file cannot be removed itself, which is not reported.
                keep(next.file, kept);
                jobs.failed(failure);
            }
        }
    }

    private static void keep(LocalPath file, Set<LocalPath> kept) {
        for (var at = file; !at.isRoot() && kept.add(at); ) {
            at = at.directory();
        }
    }

    private void remove(LocalPath file, LocalStatus status) throws IOException {
        if (rules.isTrial()) {
            listener.planned(CopyListener.Step.DELETE, shown.of(file), 0);
            return;
        }
        if (status.isDirectory()) {
            tree.removeDirectory(file, what(file));
        } else {
            tree.remove(file, what(file));
        }
        listener.deleted(shown.of(file));
    }

    private void requireHere(LocalStatus status, long device, LocalPath file) throws IOException {
        if (status.device() != device) {
            throw new IOException(what(file) + ": another file system is mounted there");
        }
    }
}
