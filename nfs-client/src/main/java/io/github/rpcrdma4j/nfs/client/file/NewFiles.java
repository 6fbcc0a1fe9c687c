package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.util.Optional;

/**
 * Finds the file that a call has just made on a server. Where other users may rename, its name can
 * belong to another file by then. So the handle of the reply is used; where a server tells none,
 * the file of the name counts only if its attributes show that nobody but this caller can have made
 * it. Thread-safe.
 *
 * @param owners tells whose files are those of this caller
 */
public record NewFiles(FileService service, Owners owners) {
    /** Tells who owns the new files of this caller. */
    public interface Owners {
        /**
         * Returns whether a new file of this caller would belong to the owner of a file.
         *
         * @param place of the file
         * @param file the file, by its name
         */
        boolean isOwn(RemotePlace place, RemoteFile file) throws IOException, InterruptedException;
    }

    /** Returns the proof for a caller whose files belong to its own user. */
    public static NewFiles ofCaller(FileService service) {
        return new NewFiles(
                service,
                (_, file) ->
                        service.caller() instanceof Credential.Sys own
                                && own.uid() == file.attributes().uid());
    }

    /** Returns the file that the server told in its reply. */
    public Optional<RemoteFile> told(Created reply, String what)
            throws IOException, InterruptedException {
        if (reply.handle().isEmpty()) {
            return Optional.empty();
        }
        var handle = reply.handle().get();
        return Optional.of(
                new RemoteFile(
                        handle,
                        reply.attributes().isPresent()
                                ? reply.attributes().get()
                                : attributes(handle, what)));
    }

    private FileAttributes attributes(FileHandle file, String what)
            throws IOException, InterruptedException {
        return service.attributes(file, what);
    }

    /**
     * Returns a new regular file, which is still empty.
     *
     * @param what for messages
     * @throws IOException also if nothing proves which file was made
     */
    public RemoteFile file(Created reply, RemotePlace place, String what)
            throws IOException, InterruptedException {
        var told = told(reply, what);
        if (told.isPresent()) {
            return told.get();
        }
        var there = service.lookup(place, what);
        if (!isOwn(there, FileType.REGULAR, place) || there.attributes().size() != 0) {
            throw replaced(what);
        }
        return there;
    }

    /** Returns whether a file is this caller's, of a type, and has no other name. */
    public boolean isOwn(RemoteFile file, FileType type, RemotePlace place)
            throws IOException, InterruptedException {
        return file.attributes().type() == type
                && file.attributes().links() == 1
                && owners.isOwn(place, file);
    }

    /**
     * Returns a new directory, which is empty and grants group and others no more than the call
     * that made it.
     *
     * @param mode of the call that made it
     * @param what for messages
     * @throws IOException also if nothing proves which directory was made; nothing was changed then
     */
    public RemoteFile directory(Created reply, RemotePlace place, int mode, String what)
            throws IOException, InterruptedException {
        var told = told(reply, what);
        var made = told.isPresent() ? told.get() : service.lookup(place, what);
        int others = made.attributes().mode() & Modes.OF_ALL_OTHERS & ~mode;
        boolean isOwn = made.attributes().isDirectory() && owners.isOwn(place, made);
        if (!isOwn
                || told.isEmpty()
                        && (others != 0 || !Listing.isEmpty(service, made.handle(), what))) {
            throw replaced(what);
        }
        return others == 0 ? made : narrowed(made, mode, what);
    }

    /** Takes the rights away that the directory above has passed on. */
    private RemoteFile narrowed(RemoteFile made, int mode, String what)
            throws IOException, InterruptedException {
        int wanted = Modes.ofDirectory(mode, made.attributes().mode());
        try {
            service.change(made.handle(), AttributeChanges.ofMode(wanted), what);
        } catch (NfsException refused) {
            // Some file systems keep no modes.
            if (!refused.isOfOwner() && refused.status() != Status.NOTSUPP) {
                throw refused;
            }
        }
        return new RemoteFile(made.handle(), attributes(made.handle(), what));
    }

    private static IOException replaced(String what) {
        return new IOException(
                what
                        + ": the server does not tell what it made, and another file may have the name");
    }
}
