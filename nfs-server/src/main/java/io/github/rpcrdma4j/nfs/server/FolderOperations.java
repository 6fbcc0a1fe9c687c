package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Values;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.OptionalInt;

/** The procedures on names in folders (RFC 1813, Sections 3.3.3 and 3.3.8 to 3.3.15). */
final class FolderOperations {
    private final Permissions permissions;
    private final OpenFiles openFiles;
    private final AttributeChanges changes;

    FolderOperations(Permissions permissions, OpenFiles openFiles, AttributeChanges changes) {
        this.permissions = permissions;
        this.openFiles = openFiles;
        this.changes = changes;
    }

    Ok<Optional<FileAttributes>, Values.Found> lookup(
            Located folder, String name, Credential caller) throws Refusal, IOException {
        permissions.require(folder, caller, Permissions.EXECUTE);
        Tree.requireName(name);
        var found =
                switch (name) {
                    case "." -> folder;
                    case ".." -> folder.tree().parent(folder);
                    default -> folder.tree().child(folder, name);
                };
        return new Ok<>(
                Optional.of(folder.file()),
                new Values.Found(found.handle(), Optional.of(found.file())));
    }

    Ok<WccData, Values.Created> create(Change change, Nfs3Call.Create call, Credential caller)
            throws Refusal, IOException {
        var folder = change.file();
        var name = Tree.text(call.place().name());
        requireChangeable(folder, name, caller);
        var attributes =
                switch (call.mode()) {
                    case CreateMode.Unchecked(var wanted) -> wanted;
                    case CreateMode.Guarded(var wanted) -> wanted;
                    case CreateMode.Exclusive(var verifier) -> mark(verifier);
                };
        AttributeChanges.requireOwners(attributes);
        try {
            Files.createFile(folder.inside(name));
        } catch (FileAlreadyExistsException exists) {
            return created(change, existing(folder, name, call.mode(), caller));
        }
        return created(change, finish(folder, name, attributes, caller));
    }

    /** What is there already may do: any file if that is asked for, or the one this call made. */
    private Located existing(Located folder, String name, CreateMode mode, Credential caller)
            throws Refusal, IOException {
        var there = folder.tree().child(folder, name);
        switch (mode) {
            case CreateMode.Guarded _ -> throw new Refusal(Status.EXIST);
            case CreateMode.Unchecked(var wanted) -> {
                if (there.attributes().isDirectory()) {
                    throw new Refusal(Status.EXIST);
                }
                if (wanted.size().isPresent()) {
                    permissions.requireForData(there, caller, Permissions.WRITE);
                    changes.apply(there, SetAttributes.ofSize(wanted.size().getAsLong()));
                }
            }
            case CreateMode.Exclusive(var verifier) -> {
                if (there.file().type() != FileType.REGULAR || !isMarked(there, verifier)) {
                    throw new Refusal(Status.EXIST);
                }
            }
        }
        return folder.tree().child(folder, name);
    }

    /** The verifier outlives a crash in the times of the file (RFC 1813, Section 3.3.8). */
    private static SetAttributes mark(long verifier) {
        return new SetAttributes(
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                SetAttributes.NONE.size(),
                new TimeChange.To(half(verifier >>> Integer.SIZE)),
                new TimeChange.To(half(verifier)));
    }

    private static boolean isMarked(Located file, long verifier) {
        return file.file().accessed().equals(half(verifier >>> Integer.SIZE))
                && file.file().modified().equals(half(verifier));
    }

    /** Within what every file system can keep: 31 bits of seconds. */
    private static Timestamp half(long verifier) {
        return new Timestamp((int) verifier & Integer.MAX_VALUE, 0);
    }

    Ok<WccData, Values.Created> makeFolder(
            Change change, Nfs3Call.MakeDirectory call, Credential caller)
            throws Refusal, IOException {
        var folder = change.file();
        var name = Tree.text(call.place().name());
        requireChangeable(folder, name, caller);
        AttributeChanges.requireOwners(call.attributes());
        Files.createDirectory(folder.inside(name));
        return created(change, finish(folder, name, call.attributes(), caller));
    }

    Ok<WccData, Values.Created> makeLink(
            Change change, Nfs3Call.MakeSymbolicLink call, Credential caller)
            throws Refusal, IOException {
        var folder = change.file();
        var name = Tree.text(call.place().name());
        requireChangeable(folder, name, caller);
        AttributeChanges.requireOwners(call.attributes());
        var text = call.text();
        if (text.length() == 0 || text.contains('\0') || !text.isUtf8()) {
            throw new Refusal(Status.INVAL);
        }
        var link = folder.inside(name);
        Files.createSymbolicLink(link, link.getFileSystem().getPath(text.toString()));
        return created(change, finish(folder, name, SetAttributes.NONE, caller));
    }

    /** java.nio.file makes neither devices nor sockets nor FIFOs. */
    Ok<WccData, Values.Created> makeNode(Located folder) throws Refusal {
        folder.requireWritable();
        throw new Refusal(Status.NOTSUPP);
    }

    /** Makes of a new file what was asked for; if that fails there is no new file. */
    private Located finish(Located folder, String name, SetAttributes attributes, Credential caller)
            throws Refusal, IOException {
        try {
            permissions.adopt(folder, folder.inside(name), caller);
            var made = folder.tree().child(folder, name);
            changes.apply(made, permissions.grantedToNew(made, attributes, caller));
            return folder.tree().child(folder, name);
        } catch (Refusal | IOException | RuntimeException failure) {
            Files.deleteIfExists(folder.inside(name));
            throw failure;
        }
    }

    private static Ok<WccData, Values.Created> created(Change folder, Located file) {
        return new Ok<>(
                folder.wcc(),
                new Values.Created(Optional.of(file.handle()), Optional.of(file.file())));
    }

    Ok<WccData, Nothing> remove(Change change, String name, boolean wantsFolder, Credential caller)
            throws Refusal, IOException {
        var folder = change.file();
        requireChangeable(folder, name, caller);
        var file = folder.tree().child(folder, name);
        if (file.attributes().isDirectory() != wantsFolder) {
            throw new Refusal(wantsFolder ? Status.NOTDIR : Status.ISDIR);
        }
        permissions.requireRemovable(folder, file, caller);
        Files.delete(file.path());
        folder.tree().forget(folder, name, file);
        openFiles.forget(folder.tree(), file.id());
        return new Ok<>(change.wcc(), Nothing.NOTHING);
    }

    Ok<TwoWcc, Nothing> rename(
            Change source, String oldName, Change target, String newName, Credential caller)
            throws Refusal, IOException {
        var from = source.file();
        var to = target.file();
        requireChangeable(from, oldName, caller);
        requireChangeable(to, newName, caller);
        var tree = from.tree();
        var file = tree.child(from, oldName);
        permissions.requireRemovable(from, file, caller);
        if (to.path().startsWith(file.path())) {
            // A folder does not go into itself.
            throw new Refusal(Status.INVAL);
        }
        var replaced = tree.findChild(to, newName);
        if (replaced.isPresent()) {
            requireReplaceable(file, replaced.get());
            permissions.requireRemovable(to, replaced.get(), caller);
        }
        boolean same = replaced.isPresent() && replaced.get().id().equals(file.id());
        if (!same) {
            Files.move(
                    file.path(),
                    to.inside(newName),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            replaced.ifPresent(
                    gone -> {
                        tree.forget(to, newName, gone);
                        openFiles.forget(tree, gone.id());
                    });
            tree.learn(to, newName, file.attributes());
        }
        return new Ok<>(new TwoWcc(source.wcc(), target.wcc()), Nothing.NOTHING);
    }

    private static void requireReplaceable(Located file, Located replaced) throws Refusal {
        if (file.attributes().isDirectory() && !replaced.attributes().isDirectory()) {
            throw new Refusal(Status.NOTDIR);
        }
        if (!file.attributes().isDirectory() && replaced.attributes().isDirectory()) {
            throw new Refusal(Status.ISDIR);
        }
    }

    Ok<FileAndWcc, Nothing> link(Located file, Change change, String name, Credential caller)
            throws Refusal, IOException {
        var folder = change.file();
        requireChangeable(folder, name, caller);
        if (file.attributes().isDirectory()) {
            throw new Refusal(Status.ISDIR);
        }
        Files.createLink(folder.inside(name), file.path());
        var tree = folder.tree();
        // The name that a file had before is often removed next.
        tree.learn(folder, name, file.attributes());
        return new Ok<>(new FileAndWcc(tree.now(file), change.wcc()), Nothing.NOTHING);
    }

    private void requireChangeable(Located folder, String name, Credential caller) throws Refusal {
        folder.requireWritable();
        Tree.requireChangeableName(name);
        permissions.require(folder, caller, Permissions.WRITE | Permissions.EXECUTE);
    }
}
