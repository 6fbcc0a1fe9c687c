package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.local.LocalTree;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Removes what a source does not have from directories of this machine. The tree does not follow
 * links. A file system that is mounted below the tree is left alone.
 */
record LocalExtras(
        LocalTree tree, CopyListener listener, JobQueue jobs, ShownPath shown, boolean isTrial) {
    /**
     * Removes files with everything below them.
     *
     * @param directory that holds them
     */
    void remove(LocalPath directory, List<LocalPath> extras) throws IOException {
        long device = tree.status(directory, what(directory)).device();
        for (var each : extras) {
            if (isTrial) {
                listener.planned(CopyListener.Step.DELETE, shown.of(each), 0);
            } else {
                removeTree(each, device);
            }
        }
    }

    private String what(LocalPath file) {
        return "cannot remove " + shown.of(file);
    }

    /** A file that is to be removed, after the files in it if it was listed. */
    private record Pending(LocalPath file, boolean isListed) {}

    private void removeTree(LocalPath top, long device) {
        var pending = new ArrayDeque<Pending>();
        pending.push(new Pending(top, false));
        // A directory that keeps a file cannot be removed itself, which need not be reported.
        boolean isIncomplete = false;
        while (!pending.isEmpty()) {
            var next = pending.pop();
            try {
                var status = tree.status(next.file, what(next.file));
                requireHere(status, device, next.file);
                if (!status.isDirectory()) {
                    tree.remove(next.file, what(next.file));
                    listener.deleted(shown.of(next.file));
                } else if (next.isListed) {
                    if (!isIncomplete) {
                        tree.removeDirectory(next.file, what(next.file));
                        listener.deleted(shown.of(next.file));
                    }
                } else {
                    pending.push(new Pending(next.file, true));
                    for (var name : tree.list(next.file, what(next.file))) {
                        pending.push(new Pending(next.file.child(name), false));
                    }
                }
            } catch (IOException failure) {
                isIncomplete = true;
                jobs.failed(failure);
            }
        }
    }

    private void requireHere(LocalStatus status, long device, LocalPath file) throws IOException {
        if (status.device() != device) {
            throw new IOException(what(file) + ": another file system is mounted there");
        }
    }
}
