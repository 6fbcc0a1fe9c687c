package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.NfsMount.RemoteFile;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;

/**
 * Makes the files without contents on a server: symbolic links, FIFOs, sockets and devices.
 * Thread-safe.
 */
record RemoteNodes(RemoteFiles remote) {
    private CopyContext context() {
        return remote.context();
    }

    /** Makes a symbolic link. It replaces an existing file, but not a directory. */
    FileHandle putLink(PathName text, LocalStatus source, DirOpArgs target, String name)
            throws IOException, InterruptedException {
        return make(
                target,
                new Node(
                        place -> new Nfs3Call.MakeSymbolicLink(place, SetAttributes.NONE, text),
                        new LocalSource(source, ExtendedAcls.NONE),
                        "cannot make the link " + name,
                        name));
    }

    /** Makes a FIFO, socket or device. It replaces an existing file, but not a directory. */
    FileHandle putNode(LocalSource node, DirOpArgs target, String name)
            throws IOException, InterruptedException {
        var source = node.status();
        long device =
                (long) source.major() << Integer.SIZE | Integer.toUnsignedLong(source.minor());
        var mode = SetAttributes.ofMode(Modes.made(source.mode(), context().umask()));
        return make(
                target,
                new Node(
                        place -> new Nfs3Call.MakeNode(place, source.type(), mode, device),
                        node,
                        "cannot make the " + RemoteFiles.words(source.type()) + " " + name,
                        name));
    }

    private interface Creation {
        Nfs3Call<?, Nfs3Results.Created> at(DirOpArgs place);
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

    private FileHandle make(DirOpArgs target, Node node) throws IOException, InterruptedException {
        try {
            return makeAt(target, node);
        } catch (NfsException exists) {
            if (exists.status() != Status.EXIST) {
                throw exists;
            }
            return remote.replace(target, node.what, temporary -> makeAt(temporary, node));
        }
    }

    private FileHandle makeAt(DirOpArgs place, Node node) throws IOException, InterruptedException {
        var reply = context().client().call(node.creation.at(place), node.what);
        if (!context().kept().attributes()) {
            return reply.handle().isPresent()
                    ? reply.handle().get()
                    : context().mount().lookup(place, node.what).handle();
        }
        var files = remote.newFiles();
        var told = files.told(reply, node.what);
        if (told.isPresent() && files.isOwn(told.get(), node.type(), place)) {
            return kept(told.get(), place, node);
        }
        return isOwners(place, node.what)
                ? kept(context().mount().lookup(place, node.what), place, node)
                : makeApart(place, node);
    }

    private FileHandle kept(RemoteFile made, DirOpArgs place, Node node)
            throws IOException, InterruptedException {
        remote.keep(place.directory(), made.handle(), node.source, true, node.name);
        return made.handle();
    }

    /** Returns whether nobody but this user may rename files in the directory of a place. */
    private boolean isOwners(DirOpArgs place, String what)
            throws IOException, InterruptedException {
        var call = new Nfs3Call.GetAttributes(place.directory());
        var directory = new RemoteFile(place.directory(), context().client().call(call, what));
        return (directory.attributes().mode() & Modes.WRITE_OF_OTHERS) == 0
                && remote.newFiles().owners().isOwn(place, directory);
    }

    /**
     * Makes a file in a directory of its own, which is open to this user alone, and renames it when
     * it has its attributes. Other users may rename files in the target directory: they could
     * exchange the file for another one, which would then get the attributes.
     */
    private FileHandle makeApart(DirOpArgs target, Node node)
            throws IOException, InterruptedException {
        var name = TemporaryName.of(target.name(), RunningProcess.current());
        var place = new DirOpArgs(target.directory(), name);
        try {
            var apart = WorkerGroup.runUninterrupted(() -> makeDirectory(place, node.what));
            var inside = new DirOpArgs(apart.handle(), name);
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

    private RemoteFile makeDirectory(DirOpArgs place, String what)
            throws IOException, InterruptedException {
        int mode = Modes.FILLING_DIRECTORY;
        var call = new Nfs3Call.MakeDirectory(place, SetAttributes.ofMode(mode));
        var reply = context().client().call(call, what);
        return remote.newFiles().directory(reply, place, mode, what);
    }

    private RemoteFile makeInside(DirOpArgs inside, Node node)
            throws IOException, InterruptedException {
        var reply = context().client().call(node.creation.at(inside), node.what);
        var told = remote.newFiles().told(reply, node.what);
        return told.isPresent() ? told.get() : context().mount().lookup(inside, node.what);
    }

    /** Removes a directory of ours, unless another user has taken its name. */
    private void discardDirectory(DirOpArgs apart) throws InterruptedException {
        try {
            context().mount().removeDirectory(apart, "cannot remove " + apart.name().escaped());
        } catch (IOException _) {
            context().leftovers().countOnServer();
        }
    }
}
