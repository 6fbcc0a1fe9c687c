package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
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
    public void remove(RemotePlace place, RemoteFile file, String path)
            throws IOException, InterruptedException {
        var removal =
                new TreeJobs.Action() {
                    @Override
                    public void file(TreeJobs.Entry entry)
                            throws IOException, InterruptedException {
                        mount.service().remove(entry.place(), "cannot remove " + entry.path());
                        listener.file(entry.path(), 0);
                    }

                    @Override
                    public void leave(TreeJobs.Entry entry, boolean isIncomplete)
                            throws IOException, InterruptedException {
                        // A file that is still in it was reported already.
                        if (!isIncomplete) {
                            mount.service()
                                    .removeDirectory(
                                            entry.place(), "cannot remove " + entry.path());
                            listener.file(entry.path(), 0);
                        }
                    }
                };
        TreeJobs.run(mount, options, listener, new TreeJobs.Entry(place, file, path), removal);
    }
}
