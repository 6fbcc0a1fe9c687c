package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;

/** Makes directories on a server, which get their attributes when they are full. Thread-safe. */
record RemoteDirectories(Copier copier) {
    /**
     * A directory that is filled.
     *
     * @param isNew whether this copy made it
     * @param mode that it has now
     */
    record Directory(FileHandle handle, boolean isNew, int mode) {}

    /**
     * Makes a directory, or returns the one that is there.
     *
     * @param name for messages
     */
    Directory make(DirOpArgs target, int mode, String name)
            throws IOException, InterruptedException {
        var what = "cannot make " + name;
        var mount = copier.mount();
        // The root of an export is the directory "." in itself.
        boolean isNew = !target.name().isDots();
        if (isNew) {
            try {
                var call = new Nfs3Call.MakeDirectory(target, SetAttributes.ofMode(mode));
                var created = mount.client().call(call, what);
                if (created.handle().isPresent() && created.attributes().isPresent()) {
                    int now = created.attributes().get().mode();
                    return new Directory(created.handle().get(), true, now);
                }
            } catch (NfsException exists) {
                if (exists.status() != Status.EXIST) {
                    throw exists;
                }
                isNew = false;
            }
        }
        var there = mount.lookup(target, what);
        if (there.attributes().type() != FileType.DIRECTORY) {
            throw new NfsException(what, Status.NOTDIR);
        }
        return new Directory(there.handle(), isNew, there.attributes().mode());
    }

    /**
     * Gives a full directory its attributes.
     *
     * @param mode for a new directory, if attributes are not kept
     * @param name for messages
     */
    void finish(DirOpArgs place, Directory directory, LocalSource source, int mode, String name)
            throws IOException, InterruptedException {
        if (copier.kept().attributes()) {
            copier.remote()
                    .keep(place.directory(), directory.handle, source, directory.isNew, name);
        } else if (directory.isNew && (directory.mode & ~mode & Modes.FILLING_DIRECTORY) != 0) {
            copier.mount()
                    .change(
                            directory.handle,
                            SetAttributes.ofMode(Modes.ofDirectory(mode, directory.mode)),
                            "cannot set the permissions of " + name);
        }
    }
}
