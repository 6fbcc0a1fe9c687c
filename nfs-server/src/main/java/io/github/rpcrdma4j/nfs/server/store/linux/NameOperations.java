package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Creation;
import io.github.rpcrdma4j.nfs.server.store.Failure;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.Node.Changed;
import io.github.rpcrdma4j.nfs.server.store.Node.Found;
import io.github.rpcrdma4j.nfs.server.store.Node.Made;
import io.github.rpcrdma4j.nfs.server.store.Node.Storage;
import io.github.rpcrdma4j.nfs.server.store.SpecialFile;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.linux.FileThreads.Call;
import java.util.Arrays;
import java.util.Optional;

/** What is done to the names in a directory. */
final class NameOperations {
    /** What it takes to change the names in a directory. */
    private static final int TO_CHANGE = Node.WRITE | Node.EXECUTE;

    private final LinuxStore store;
    private final Creations creations;

    NameOperations(LinuxStore store) {
        this.store = store;
        this.creations = new Creations(store);
    }

    Found lookup(Reference directory, Caller caller, FileName name) throws StoreException {
        directory.node().requireDirectory();
        return store.threads().run(call -> lookup(call, directory, caller, name));
    }

    private Found lookup(Call call, Reference directory, Caller caller, FileName name)
            throws StoreException {
        var node = directory.node();
        AttributeOperations.waitUnlessLocal(call, node);
        node.stat(call.scratch);
        Rights.require(call, node, caller, Node.EXECUTE);
        var status = Statuses.of(call.scratch, node.mounted.number(call.scratch));
        var child = store.child(call, node, name, directory.mounts());
        try {
            AttributeOperations.waitUnlessLocal(call, child);
            long fileSystem = child.mounted.number(call.scratch);
            return new Found(child.id, Statuses.of(call.scratch, fileSystem), status);
        } finally {
            child.release();
        }
    }

    /** A change of a directory, which may make a file. */
    private interface Change<T> {
        T make(Call call) throws StoreException;
    }

    /**
     * Changes a directory while no other call does, on a thread of the store.
     *
     * @param needed bits of {@link Node}, without which a caller is not told whether a name is
     *     taken
     */
    private <T> Changed<T> change(LinuxNode directory, Caller caller, int needed, Change<T> change)
            throws StoreException {
        directory.requireDirectory();
        try (var _ = store.locks().lock(directory.id)) {
            return store.threads()
                    .runApart(
                            call ->
                                    changeAsGranted(
                                            call,
                                            directory,
                                            caller,
                                            needed,
                                            again -> change(again, directory, change)));
        }
    }

    /**
     * Makes a change, and hides from a caller without the rights whether a name is taken, as nfsd
     * of Linux does: the kernel looks the name up before it asks for the rights. A caller of CREATE
     * needs only the right to search, since the file need not be a new one.
     */
    private static <T> T changeAsGranted(
            Call call, LinuxNode directory, Caller caller, int needed, Change<T> change)
            throws StoreException {
        try {
            return change.make(call);
        } catch (StoreException failed) {
            if (failed.failure() == Failure.EXIST || failed.failure() == Failure.NOENT) {
                directory.stat(call.scratch);
                Rights.require(call, directory, caller, needed);
            }
            throw failed;
        }
    }

    private static <T> Changed<T> change(Call call, LinuxNode directory, Change<T> change)
            throws StoreException {
        var before = directory.status(call.scratch);
        var value = change.make(call);
        return new Changed<>(
                Optional.of(before), Optional.of(directory.status(call.scratch)), value);
    }

    Changed<Made> create(
            Reference directory, Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        return make(
                directory.node(),
                caller,
                Node.EXECUTE,
                name,
                storage,
                call -> creations.file(call, directory, caller, name, how));
    }

    Changed<Made> makeDirectory(
            Reference directory,
            Caller caller,
            FileName name,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        return make(
                directory.node(),
                caller,
                TO_CHANGE,
                name,
                storage,
                call -> creations.directory(call, directory, caller, name, attributes));
    }

    Changed<Made> makeSymbolicLink(
            Reference directory,
            Caller caller,
            FileName name,
            byte[] text,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        requireText(text);
        return make(
                directory.node(),
                caller,
                TO_CHANGE,
                name,
                storage,
                call -> creations.symbolicLink(call, directory, caller, name, text, attributes));
    }

    private static void requireText(byte[] text) throws StoreException {
        if (text.length >= Scratch.TEXT_MAX) {
            throw new StoreException(Failure.NAMETOOLONG);
        }
        if (text.length == 0) {
            throw new StoreException(Failure.INVAL);
        }
        for (byte each : text) {
            if (each == 0) {
                throw new StoreException(Failure.INVAL);
            }
        }
    }

    Changed<Made> makeSpecialFile(
            Reference directory,
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        return make(
                directory.node(),
                caller,
                TO_CHANGE,
                name,
                storage,
                call -> creations.special(call, directory, caller, name, file, attributes));
    }

    private Changed<Made> make(
            LinuxNode directory,
            Caller caller,
            int needed,
            FileName name,
            Storage storage,
            Change<LinuxNode> making)
            throws StoreException {
        directory.requireDirectory();
        Names.require(name, directory.mounted.nameMax());
        var changed =
                change(
                        directory,
                        caller,
                        needed,
                        call -> known(directory, name, making.make(call)));
        var made = changed.value();
        try {
            if (storage == Storage.SYNC) {
                // First the directory: file systems with a journal have both on storage then.
                sync(directory, made);
            }
            return new Changed<>(changed.before(), changed.after(), made(made));
        } finally {
            release(made);
        }
    }

    /** A file that was made; it can be found from now on, whoever asks for it. */
    private LinuxNode known(LinuxNode directory, FileName name, LinuxNode made) {
        if (made != null) {
            store.learn(directory, name, made);
        }
        return made;
    }

    private Made made(LinuxNode node) throws StoreException {
        if (node == null) {
            return new Made(Optional.empty());
        }
        FileStatus status;
        try {
            status = store.threads().run(call -> node.status(call.scratch));
        } catch (StoreException gone) {
            return new Made(Optional.empty());
        }
        return new Made(Optional.of(new Made.Entry(node.id, status)));
    }

    private void sync(LinuxNode... nodes) throws StoreException {
        store.threads()
                .runWaiting(
                        call -> {
                            for (var node : nodes) {
                                if (node != null) {
                                    store.syncAttributes(call, node);
                                }
                            }
                            return null;
                        });
    }

    Changed<Void> remove(
            Reference directory,
            Caller caller,
            FileName name,
            boolean wantsDirectory,
            Storage storage)
            throws StoreException {
        var node = directory.node();
        node.requireDirectory();
        Names.require(name, node.mounted.nameMax());
        Changed<Void> changed =
                change(
                        node,
                        caller,
                        TO_CHANGE,
                        call -> {
                            remove(call, directory, caller, name, wantsDirectory);
                            return null;
                        });
        if (storage == Storage.SYNC) {
            sync(node);
        }
        return changed;
    }

    private void remove(
            Call call, Reference directory, Caller caller, FileName name, boolean wantsDirectory)
            throws StoreException {
        var node = directory.node();
        int flags = wantsDirectory ? Kernel.AT_REMOVEDIR : 0;
        var victim = named(call, directory, name);
        try {
            Failures.check(
                    call.as(
                            caller,
                            scratch ->
                                    Kernel.unlinkat(
                                            scratch,
                                            node.descriptor,
                                            scratch.name(Scratch.NAME, name.segment()),
                                            flags)));
            if (victim != null) {
                store.forget(call.scratch, node, name, victim);
            }
        } finally {
            release(victim);
        }
    }

    /** The file that has a name now, so that its descriptors can be let go; null if none has. */
    private LinuxNode named(Call call, Reference directory, FileName name) {
        try {
            return store.child(call, directory.node(), name, directory.mounts());
        } catch (StoreException _) {
            // The change itself says why.
            return null;
        }
    }

    private static void release(LinuxNode node) {
        if (node != null) {
            node.release();
        }
    }

    Changed<Changed<Void>> rename(
            Reference source,
            Caller caller,
            FileName name,
            Reference target,
            FileName newName,
            Storage storage)
            throws StoreException {
        var from = source.node();
        var to = target.node();
        from.requireDirectory();
        to.requireDirectory();
        Names.require(name, from.mounted.nameMax());
        Names.require(newName, to.mounted.nameMax());
        Change<Changed<Void>> inner =
                call ->
                        change(
                                call,
                                to,
                                again -> {
                                    rename(again, source, caller, name, target, newName);
                                    return null;
                                });
        Changed<Changed<Void>> changed;
        try (var _ = lock(from, to, true);
                var _ = lock(from, to, false)) {
            changed = store.threads().runWaiting(call -> change(call, from, inner));
        }
        if (storage == Storage.SYNC) {
            sync(to, from == to ? null : from);
        }
        return changed;
    }

    /** Two renames lock two directories in one order; of one directory there is one lock. */
    private FileLocks.Held lock(LinuxNode one, LinuxNode other, boolean first) {
        boolean ordered = Arrays.compare(one.id.bytes(), other.id.bytes()) <= 0;
        return store.locks().lock(first == ordered ? one.id : other.id);
    }

    private void rename(
            Call call,
            Reference source,
            Caller caller,
            FileName name,
            Reference target,
            FileName newName)
            throws StoreException {
        var replaced = named(call, target, newName);
        var moved = named(call, source, name);
        try {
            Failures.check(
                    call.as(
                            caller,
                            scratch ->
                                    Kernel.renameat2(
                                            scratch,
                                            source.node().descriptor,
                                            scratch.name(Scratch.NAME, name.segment()),
                                            target.node().descriptor,
                                            scratch.name(Scratch.OTHER_NAME, newName.segment()),
                                            0)));
            boolean same = replaced != null && moved != null && replaced.id.equals(moved.id);
            if (replaced != null && !same) {
                store.forget(call.scratch, target.node(), newName, replaced);
            }
            if (moved != null && !same) {
                store.moved(source.node(), name, target.node(), newName, moved);
            }
        } finally {
            release(replaced);
            release(moved);
        }
    }

    Changed<FileStatus> link(
            Reference directory, Caller caller, Reference file, FileName name, Storage storage)
            throws StoreException {
        var node = directory.node();
        node.requireDirectory();
        Names.require(name, node.mounted.nameMax());
        if (file.node().isDirectory()) {
            throw new StoreException(Failure.ISDIR);
        }
        var changed =
                change(
                        node,
                        caller,
                        TO_CHANGE,
                        call -> link(call, directory, caller, file.node(), name));
        if (storage == Storage.SYNC) {
            sync(node, file.node());
        }
        return changed;
    }

    private FileStatus link(
            Call call, Reference directory, Caller caller, LinuxNode file, FileName name)
            throws StoreException {
        file.stat(call.scratch);
        Failures.check(
                call.as(
                        caller,
                        scratch ->
                                Kernel.linkat(
                                        scratch,
                                        file.descriptor,
                                        directory.node().descriptor,
                                        scratch.name(Scratch.NAME, name.segment()))));
        store.learn(directory.node(), name, file);
        return file.status(call.scratch);
    }
}
