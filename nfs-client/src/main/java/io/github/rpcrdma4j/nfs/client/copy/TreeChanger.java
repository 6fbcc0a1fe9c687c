package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;

/**
 * Changes attributes of all files of a tree of a server, several files at a time. A file that
 * cannot be changed is reported to the listener, and the others are still changed. Links are not
 * followed.
 */
public final class TreeChanger {
    /** The rights of the owner, who needs them to go into a directory. */
    private static final int OF_OWNER = 0700;

    /** Chooses the changes of a file. */
    public interface Changes {
        /**
         * Returns the changes of a file.
         *
         * @return {@link AttributeChanges#NONE} if it is left as it is
         */
        AttributeChanges of(FileAttributes file);
    }

    private final NfsMount mount;
    private final ClientOptions options;
    private final CopyListener listener;
    private final String what;

    /**
     * Creates a changer for a mount.
     *
     * @param listener receives each changed file and each failure
     * @param what the start of messages: {@code "cannot change the mode of "}
     */
    public TreeChanger(NfsMount mount, ClientOptions options, CopyListener listener, String what) {
        this.mount = mount;
        this.options = options;
        this.listener = listener;
        this.what = what;
    }

    /**
     * Changes a file, and if it is a directory everything below it. A directory that loses rights
     * of its owner is changed after the files in it.
     *
     * @param path for messages
     * @throws IncompleteTreeException if some files could not be changed
     */
    public void change(RemoteFile file, String path, Changes changes)
            throws IOException, InterruptedException {
        var change =
                new TreeJobs.Action() {
                    @Override
                    public void file(TreeJobs.Entry entry)
                            throws IOException, InterruptedException {
                        apply(entry, changes);
                    }

                    @Override
                    public boolean enter(TreeJobs.Entry entry)
                            throws IOException, InterruptedException {
                        if (!isAfter(entry)) {
                            apply(entry, changes);
                        }
                        return true;
                    }

                    @Override
                    public void leave(TreeJobs.Entry entry, boolean isIncomplete)
                            throws IOException, InterruptedException {
                        if (isAfter(entry)) {
                            apply(entry, changes);
                        }
                    }

                    private boolean isAfter(TreeJobs.Entry entry) {
                        int now = entry.file().attributes().mode();
                        int wanted = changes.of(entry.file().attributes()).mode().orElse(now);
                        return (now & ~wanted & OF_OWNER) != 0;
                    }
                };
        TreeJobs.run(mount, options, listener, new TreeJobs.Entry(null, file, path), change);
    }

    private void apply(TreeJobs.Entry entry, Changes changes)
            throws IOException, InterruptedException {
        var wanted = changes.of(entry.file().attributes());
        if (!wanted.equals(AttributeChanges.NONE)) {
            mount.change(entry.file().handle(), wanted, what + entry.path());
            listener.file(entry.path(), 0);
        }
    }
}
