package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import java.io.IOException;
import java.util.Map;

/**
 * Removes what a source does not have from directories of a server. Only names in a directory that
 * was listed are removed, and links are not followed.
 */
record ServerExtras(Copier copier, JobQueue jobs, boolean isTrial) {
    /**
     * Removes files with everything below them.
     *
     * @param extras the files when the directory was listed
     * @param path of the directory, for messages
     */
    void remove(FileHandle directory, Map<FileName, FileAttributes> extras, String path)
            throws IOException, InterruptedException {
        for (var each : extras.entrySet()) {
            var shown = path + "/" + each.getKey().escaped();
            if (isTrial) {
                copier.listener().planned(CopyListener.Step.DELETE, shown, 0);
            } else {
                remove(new DirOpArgs(directory, each.getKey()), each.getValue(), shown);
            }
        }
    }

    private void remove(DirOpArgs place, FileAttributes listed, String shown)
            throws IOException, InterruptedException {
        var what = "cannot remove " + shown;
        var now = copier.mount().find(place, what);
        if (now.isEmpty()) {
            return;
        }
        boolean isSame =
                now.get().attributes().fileId() == listed.fileId()
                        && now.get().attributes().type() == listed.type();
        if (!isSame) {
            jobs.failed(new IOException(what + ": another file has taken its place"));
            return;
        }
        var listener =
                new CopyListener() {
                    @Override
                    public void file(String name, long bytes) {
                        copier.listener().deleted(name);
                    }

                    @Override
                    public void failed(IOException why) {
                        jobs.failed(why);
                    }
                };
        try {
            new TreeRemover(copier.mount(), copier.options(), listener)
                    .remove(place, now.get(), shown);
        } catch (IncompleteTreeException _) {
            // The queue has each failure.
        }
    }
}
