package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import java.io.IOException;

/**
 * Makes the files without contents on a server: symbolic links, FIFOs, sockets and devices.
 * Thread-safe.
 *
 * <p>Tests: {@code ExchangedNamesTest}, {@code TreesTest}.
 */
record RemoteNodes(RemoteFiles remote) {
    private CopyContext context() {
        return remote.context();
    }

    /** Makes a symbolic link. It replaces an existing file, but not a directory. */
    FileHandle putLink(PathName text, LocalStatus source, RemotePlace target, String name)
            throws IOException, InterruptedException {
        return make(
                target,
                new Node(
                        (service, place, what) -> service.makeLink(place, text, what),
                        new LocalSource(source, ExtendedAcls.NONE),
                        "cannot make the link " + name,
                        name));
    }

    /** Makes a FIFO, socket or device. It replaces an existing file, but not a directory. */
    FileHandle putNode(LocalSource node, RemotePlace target, String name)
            throws IOException, InterruptedException {
        var source = node.status();
        var mode = AttributeChanges.ofMode(Modes.made(source.mode(), context().umask()));
        return make(
                target,
                new Node(
                        (service, place, what) ->
                                service.makeNode(
                                        place,
                                        source.type(),
                                        mode,
                                        source.major(),
                                        source.minor(),
                                        what),
                        node,
                        "cannot make the " + RemoteFiles.words(source.type()) + " " + name,
                        name));
    }

    private interface Creation {
        Created run(FileService service, RemotePlace place, String what)
                throws IOException, InterruptedException;
    }

    /**
     * A file to be made.
     *
     * @param source of its attributes
     * @param what for messages
     * @param name for messages
     */
    private record Node(Creation creation, LocalSource source, String what, String name) {
        FileType type() {
            return source.status().type();
        }
    }

    private FileHandle make(RemotePlace target, Node node)
            throws IOException, InterruptedException {
        try {
            return makeAt(target, node);
        } catch (NfsException exists) {
            if (exists.status() != Status.EXIST) {
                throw exists;
            }
            return remote.replace(target, node.what, temporary -> makeAt(temporary, node));
        }
    }

    private FileHandle makeAt(RemotePlace place, Node node)
            throws IOException, InterruptedException {
        var reply = node.creation.run(context().service(), place, node.what);
        if (!context().kept().attributes()) {
            return reply.handle().isPresent()
                    ? reply.handle().get()
                    : context().service().lookup(place, node.what).handle();
        }
        var files = remote.newFiles();
        var told = files.told(reply, node.what);
        if (told.isPresent() && files.isOwn(told.get(), node.type(), place)) {
            return kept(told.get(), place, node);
        }
        return isOwners(place, node.what)
                ? kept(context().service().lookup(place, node.what), place, node)
                : makeApart(place, node);
    }

    private FileHandle kept(RemoteFile made, RemotePlace place, Node node)
            throws IOException, InterruptedException {
        remote.keep(place.directory(), made.handle(), node.source, true, node.name);
        return made.handle();
    }

    /** Returns whether nobody but this user may rename files in the directory of a place. */
    private boolean isOwners(RemotePlace place, String what)
            throws IOException, InterruptedException {
        var attributes = context().service().attributes(place.directory(), what);
        var directory = new RemoteFile(place.directory(), attributes);
        return (directory.attributes().mode() & Modes.WRITE_OF_OTHERS) == 0
                && remote.newFiles().owners().isOwn(place, directory);
    }

    /**
     * Makes a file in a directory of its own, which is open to this user alone, and renames it when
     * it has its attributes. Other users may rename files in the target directory: they could
     * exchange the file for another one, which would then get the attributes.
     */
    private FileHandle makeApart(RemotePlace target, Node node)
            throws IOException, InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var place = new RemotePlace(target.directory(), name);
        try {
            var apart = WorkerGroup.runUninterrupted(() -> makeDirectory(place, node.what));
            var inside = new RemotePlace(apart.handle(), name);
            boolean complete = false;
            try {
                var made = WorkerGroup.runUninterrupted(() -> makeInside(inside, node));
                kept(made, inside, node);
                remote.rename(made.handle(), inside, target, node.what);
                complete = true;
                return made.handle();
            } finally {
                if (!complete) {
                    remote.discard(inside);
                }
            }
        } finally {
            discardDirectory(place);
        }
    }

    private RemoteFile makeDirectory(RemotePlace place, String what)
            throws IOException, InterruptedException {
        int mode = Modes.FILLING_DIRECTORY;
        var wanted = AttributeChanges.ofMode(mode);
        var reply = context().service().makeDirectory(place, wanted, what);
        return remote.newFiles().directory(reply, place, mode, what);
    }

    private RemoteFile makeInside(RemotePlace inside, Node node)
            throws IOException, InterruptedException {
        var reply = node.creation.run(context().service(), inside, node.what);
        var told = remote.newFiles().told(reply, node.what);
        return told.isPresent() ? told.get() : context().service().lookup(inside, node.what);
    }

    /** Removes a directory of ours, unless another user has taken its name. */
    private void discardDirectory(RemotePlace apart) throws InterruptedException {
        try {
            context().service().removeDirectory(apart, "cannot remove " + apart.name().escaped());
        } catch (IOException _) {
            context().leftovers().countOnServer();
        }
    }
}
