package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.NamedFile;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
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

        /** Does it with a directory before it is listed. */
        default void enter(Entry directory) throws IOException, InterruptedException {}

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
     */
    record Entry(DirOpArgs place, RemoteFile file, String path) {}

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
        tree.add(null, null, top.place, top.file, top.path);
        tree.jobs.run(options.files());
        tree.jobs.requireComplete();
    }

    private void add(
            JobQueue.Directory above,
            ParentDirectories parents,
            DirOpArgs place,
            RemoteFile file,
            String name) {
        if (file.attributes().isDirectory()) {
            jobs.addDirectory(above, self -> directory(self, parents, place, file, name));
        } else {
            jobs.addFile(
                    above,
                    _ -> {
                        var path = ParentDirectories.path(parents, name);
                        action.file(new Entry(place, file, path));
                        return true;
                    });
        }
    }

    private boolean directory(
            JobQueue.Job self,
            ParentDirectories parents,
            DirOpArgs place,
            RemoteFile file,
            String name)
            throws IOException, InterruptedException {
        var childParents = new ParentDirectories(file.handle(), name, parents);
        var path = childParents.path();
        ParentDirectories.requireNoCycle(parents, file.handle(), path);
        var entry = new Entry(place, file, path);
        action.enter(entry);
        jobs.directory(
                self,
                isIncomplete ->
                        action.leave(new Entry(place, file, childParents.path()), isIncomplete),
                directory -> {
                    for (NamedFile child : mount.list(file.handle(), path, self.names())) {
                        add(
                                directory,
                                childParents,
                                new DirOpArgs(file.handle(), child.name()),
                                new RemoteFile(child.handle(), child.attributes()),
                                child.name().escaped());
                    }
                });
        return true;
    }
}
