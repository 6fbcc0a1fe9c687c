package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.NfsMount.NamedFile;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import java.io.IOException;

/**
 * Removes directory trees of a server, several files at a time. A file that cannot be removed is
 * reported to the listener, and the others are still removed. Links are removed, not followed.
 */
public final class TreeRemover {
    private final NfsMount mount;
    private final ClientOptions options;
    private final CopyListener listener;

    /**
     * Creates a remover for a mount.
     *
     * @param listener receives each removed file and each failure
     */
    public TreeRemover(NfsMount mount, ClientOptions options, CopyListener listener) {
        this.mount = mount;
        this.options = options;
        this.listener = listener;
    }

    /**
     * Removes a file, or a directory with everything below it.
     *
     * @param path for messages
     * @throws IncompleteTreeException if some files could not be removed
     */
    public void remove(DirOpArgs place, RemoteFile file, String path)
            throws IOException, InterruptedException {
        var jobs = new CopyQueue(listener);
        add(jobs, null, null, place, file, path);
        jobs.run(options.files());
        jobs.requireComplete();
    }

    private void add(
            CopyQueue jobs,
            CopyQueue.Directory above,
            ParentDirectories parents,
            DirOpArgs place,
            RemoteFile file,
            String name) {
        if (file.attributes().isDirectory()) {
            jobs.addDirectory(
                    above, self -> removeDirectory(jobs, self, parents, place, file, name));
        } else {
            jobs.addFile(
                    above,
                    _ -> {
                        var path = ParentDirectories.path(parents, name);
                        mount.remove(place, "cannot remove " + path);
                        listener.file(path, 0);
                        return true;
                    });
        }
    }

    private boolean removeDirectory(
            CopyQueue jobs,
            CopyQueue.Job self,
            ParentDirectories parents,
            DirOpArgs place,
            RemoteFile file,
            String name)
            throws IOException, InterruptedException {
        var childParents = new ParentDirectories(file.handle(), name, parents);
        var path = childParents.path();
        ParentDirectories.requireNoCycle(parents, file.handle(), path);
        var directory =
                jobs.begin(
                        self,
                        isIncomplete -> {
                            // A file that is still in it was reported already.
                            if (!isIncomplete) {
                                mount.removeDirectory(
                                        place, "cannot remove " + childParents.path());
                            }
                        });
        boolean isComplete = false;
        try {
            for (NamedFile child : mount.list(file.handle(), path, self.names())) {
                add(
                        jobs,
                        directory,
                        childParents,
                        new DirOpArgs(file.handle(), child.name()),
                        new RemoteFile(child.handle(), child.attributes()),
                        child.name().escaped());
            }
            isComplete = true;
        } finally {
            jobs.listed(directory, isComplete);
        }
        return true;
    }
}
