package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.ParentDirectories;
import io.github.rpcrdma4j.nfs.client.local.LocalPath;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.NamedFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import java.io.IOException;

/**
 * Does something with each file of a tree of a server, several files at a time and in no order. A
 * file that fails is reported to the listener, and the others are still done. Links are not
 * followed.
 */
final class TreeJobs {
    /** What is done with the files. Each method may run on several threads at the same time. */
    interface Action {
        /** Does it with a file that is no directory. */
        void file(Entry file) throws IOException, InterruptedException;

        /**
         * Does it with a directory before it is listed.
         *
         * @return whether the directory is listed; if not, {@link #leave} is not called for it
         */
        default boolean enter(Entry directory) throws IOException, InterruptedException {
            return true;
        }

        /**
         * Does it with a directory after all below it.
         *
         * @param isIncomplete whether something below it failed, which was reported
         */
        void leave(Entry directory, boolean isIncomplete) throws IOException, InterruptedException;
    }

    /**
     * A file of the tree.
     *
     * @param place its directory and its name there; null for a top whose place is not needed
     * @param path for messages
     * @param below the names that lead to it from above the top
     */
    record Entry(RemotePlace place, RemoteFile file, String path, LocalPath below) {
        /** Creates the entry of a top. */
        Entry(RemotePlace place, RemoteFile file, String path) {
            this(place, file, path, LocalPath.ROOT);
        }
    }

    private final NfsMount mount;
    private final Action action;
    private final JobQueue jobs;

    private TreeJobs(NfsMount mount, CopyListener listener, Action action) {
        this.mount = mount;
        this.action = action;
        this.jobs = new JobQueue(listener);
    }

    /**
     * Runs an action on a file, and if it is a directory on everything below it.
     *
     * @throws IncompleteTreeException if some files failed; the listener has each failure
     */
    static void run(
            NfsMount mount, ClientOptions options, CopyListener listener, Entry top, Action action)
            throws IOException, InterruptedException {
        var tree = new TreeJobs(mount, listener, action);
        tree.add(null, null, top.place, top.file, top.path, top.below);
        tree.jobs.run(options.files());
        tree.jobs.requireComplete();
    }

    private void add(
            JobQueue.Directory above,
            ParentDirectories parents,
            RemotePlace place,
            RemoteFile file,
            String name,
            LocalPath below) {
        if (file.attributes().isDirectory()) {
            jobs.addDirectory(above, self -> directory(self, parents, place, file, name, below));
        } else {
            jobs.addFile(
                    above,
                    _ -> {
                        var path = ParentDirectories.path(parents, name);
                        action.file(new Entry(place, file, path, below));
                        return true;
                    });
        }
    }

    private boolean directory(
            JobQueue.Job self,
            ParentDirectories parents,
            RemotePlace place,
            RemoteFile file,
            String name,
            LocalPath below)
            throws IOException, InterruptedException {
        var childParents = new ParentDirectories(file.handle(), name, parents);
        var path = childParents.path();
        ParentDirectories.requireNoCycle(parents, file.handle(), path);
        if (!action.enter(new Entry(place, file, path, below))) {
            return true;
        }
        jobs.directory(
                self,
                isIncomplete ->
                        action.leave(
                                new Entry(place, file, childParents.path(), below), isIncomplete),
                directory -> {
                    for (NamedFile child :
                            mount.list(file.handle(), Wanted.ALL, path, self.names())) {
                        add(
                                directory,
                                childParents,
                                new RemotePlace(file.handle(), child.name()),
                                new RemoteFile(child.handle(), child.attributes()),
                                child.name().escaped(),
                                below.child(child.name()));
                    }
                });
        return true;
    }
}
