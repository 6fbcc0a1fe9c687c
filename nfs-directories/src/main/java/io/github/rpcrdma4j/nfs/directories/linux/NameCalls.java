package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.linux.FileThreads.Call;
import io.github.rpcrdma4j.nfs.directories.linux.LinuxStores.Step;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Found;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.Node.Storage;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import java.util.List;
import java.util.Optional;

/**
 * Operations on the names in a directory.
 *
 * <p>Tests: {@code LinuxStoreContractTest}.
 */
final class NameCalls {
    /** The bit of a directory in which only owners take names from files. */
    private static final int STICKY = 01000;

    private final LinuxStore store;

    private final Creations creations;

    NameCalls(LinuxStore store) {
        this.store = store;
        this.creations = new Creations(store);
    }

    Found lookup(Reference directory, Caller caller, FileName name) throws StoreException {
        directory.node().requireDirectory();
        FileThreads.Operation<Found> lookup = call -> lookup(call, directory, caller, name);
        try {
            return store.threads().run(directory.id(), lookup);
        } catch (Crossing to) {
            return store.crossings().run(to, directory.node(), lookup);
        }
    }

    private Found lookup(Call call, Reference directory, Caller caller, FileName name)
            throws StoreException {
        var node = directory.node();
        AttributeCalls.waitUnlessLocal(call, node);
        node.stat(call.scratch);
        Rights.require(call, node, caller, Permission.SEARCH);
        var status = LinuxStatuses.of(call.scratch, node.mounted);
        var child = store.child(call, node, name, directory.mounts());
        try {
            AttributeCalls.waitUnlessLocal(call, child);
            return new Found(child.id, LinuxStatuses.of(call.scratch, child.mounted), status);
        } finally {
            child.release();
        }
    }

    void requireNameChange(ChildName child) throws StoreException {
        requireName(child);
        store.threads()
                .runWaiting(
                        child.parent().id,
                        call -> {
                            requireNameChange(call, child);
                            return null;
                        });
    }

    private static void requireNameChange(Call call, ChildName child) throws StoreException {
        var directory = child.parent();
        directory.stat(call.scratch);
        Rights.require(call, directory, child.caller(), Permission.NAMES);
        if ((Statx.mode(call.scratch) & STICKY) == 0 || call.owns(child.caller())) {
            return;
        }
        var file = named(call, child);
        if (file != null) {
            try {
                file.stat(call.scratch);
                Rights.require(call, file, child.caller(), Permission.OWNER);
            } finally {
                file.release();
            }
        }
    }

    /** A change of a directory, which may make a file. */
    private interface Change<T> {
        T make(Call call) throws StoreException;
    }

    private static void requireName(ChildName child) throws StoreException {
        child.parent().requireDirectory();
        Names.require(child.name(), child.parent().mounted.nameMax());
    }

    /**
     * Changes a name in a directory on a thread of the store. The lock of the directory excludes
     * other changes of it.
     *
     * @param needed the rights without which a caller must not learn whether the name exists
     */
    private <T> Changed<T> change(ChildName child, Permission needed, Change<T> change)
            throws StoreException {
        requireName(child);
        var directory = child.parent();
        FileThreads.Operation<Changed<T>> operation =
                call ->
                        changeAsGranted(
                                call, child, needed, again -> change(again, directory, change));
        try (var _ = store.locks().lock(directory.id)) {
            return store.threads().runApart(directory.id, operation);
        } catch (Crossing to) {
            // What is mounted there has the name, so the directory need not be locked.
            return store.threads().runApart(to.place(), operation);
        }
    }

    /**
     * Makes a change, and hides from a caller without the needed rights whether the name exists.
     * The Linux nfsd does this too; the kernel looks up the name before it checks rights. A caller
     * of CREATE needs only the right to search, since the file may exist already.
     */
    private static <T> T changeAsGranted(
            Call call, ChildName child, Permission needed, Change<T> change) throws StoreException {
        try {
            return change.make(call);
        } catch (StoreException failed) {
            if (failed.failure() == Failure.EXIST || failed.failure() == Failure.NOENT) {
                child.parent().stat(call.scratch);
                Rights.require(call, child.parent(), child.caller(), needed);
            }
            throw failed;
        }
    }

    /** Only a rename between two directories can come in between: it takes no lock of them. */
    private <T> Changed<T> change(Call call, LinuxNode directory, Change<T> change)
            throws StoreException {
        try (var span = store.concurrentChanges().begin(directory.id)) {
            var before = directory.status(call.scratch);
            var value = change.make(call);
            var after = afterChange(call, directory);
            return new Changed<>(
                    span.isAlone() ? Optional.of(before) : Optional.empty(), after, value);
        }
    }

    /** Others may have removed the directory since. The change was made nevertheless. */
    private static Optional<FileStatus> afterChange(Call call, LinuxNode directory) {
        try {
            return Optional.of(directory.status(call.scratch));
        } catch (StoreException _) {
            return Optional.empty();
        }
    }

    Changed<Made> create(ChildName child, Creation how, Storage storage) throws StoreException {
        return make(
                child, Permission.SEARCH, storage, false, call -> creations.file(call, child, how));
    }

    Changed<Made> makeDirectory(ChildName child, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return make(
                child,
                Permission.NAMES,
                storage,
                false,
                call -> MadeNode.ofNew(creations.directory(call, child, attributes)));
    }

    Changed<Made> makeSymbolicLink(
            ChildName child, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        requireText(text);
        return make(
                child,
                Permission.NAMES,
                storage,
                isMadeAtOnce(attributes),
                call -> MadeNode.ofNew(creations.symbolicLink(call, child, text, attributes)));
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
            ChildName child, SpecialFile file, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return make(
                child,
                Permission.NAMES,
                storage,
                isMadeAtOnce(attributes),
                call -> MadeNode.ofNew(creations.special(call, child, file, attributes)));
    }

    /** Returns whether one system call makes a file that cannot be opened, with its attributes. */
    private static boolean isMadeAtOnce(AttributeChanges attributes) {
        return !attributes.changesOwner()
                && !attributes.changesTimes()
                && attributes.acls().isEmpty();
    }

    /**
     * Makes a file.
     *
     * @param isWithName whether it changes no more once it has its name
     */
    private Changed<Made> make(
            ChildName child,
            Permission needed,
            Storage storage,
            boolean isWithName,
            Change<MadeNode> making)
            throws StoreException {
        var changed = change(child, needed, call -> known(child, making.make(call)));
        var made = changed.value();
        try {
            if (storage == Storage.SYNC) {
                // The directory comes first: on a file system with a journal, its sync stores the
                // new file too.
                var directory = child.parent();
                boolean isStored = isWithName && directory.mounted.hasJournal();
                store.syncs().sync(directory, isStored ? null : made.node());
            }
            return new Changed<>(changed.before(), changed.after(), made(made));
        } finally {
            release(made.node());
        }
    }

    /** Records a new file, so that every caller finds it. */
    private MadeNode known(ChildName child, MadeNode made) {
        if (made.node() != null) {
            store.learn(child.parent(), child.name(), made.node());
        }
        return made;
    }

    private Made made(MadeNode made) throws StoreException {
        var node = made.node();
        if (node == null) {
            return new Made(Optional.empty(), made.isNew());
        }
        FileStatus status;
        try {
            status = store.threads().run(call -> node.status(call.scratch));
        } catch (StoreException gone) {
            return new Made(Optional.empty(), made.isNew());
        }
        return new Made(Optional.of(new Made.Entry(node.id, status)), made.isNew());
    }

    Changed<Void> remove(ChildName child, boolean wantsDirectory, Storage storage)
            throws StoreException {
        Changed<Void> changed =
                change(
                        child,
                        Permission.NAMES,
                        call -> {
                            remove(call, child, wantsDirectory ? Kernel.AT_REMOVEDIR : 0);
                            return null;
                        });
        if (storage == Storage.SYNC) {
            store.syncs().sync(child.parent(), null);
        }
        return changed;
    }

    private void remove(Call call, ChildName child, int flags) throws StoreException {
        var victim = named(call, child);
        try {
            ErrnoFailures.check(
                    child.make(
                            call,
                            (scratch, directory, name) ->
                                    Kernel.unlinkat(scratch, directory, name, flags)));
            if (victim != null) {
                store.forget(call.scratch, child.parent(), child.name(), victim);
            }
        } finally {
            release(victim);
        }
    }

    /**
     * Returns the file that has the name now, so that its descriptors can be closed; null if there
     * is none.
     */
    private static LinuxNode named(Call call, ChildName child) {
        try {
            return child.find(call);
        } catch (StoreException _) {
            // The change itself will report the reason.
            return null;
        }
    }

    private static void release(LinuxNode node) {
        if (node != null) {
            node.release();
        }
    }

    Changed<Changed<Void>> rename(ChildName source, ChildName target, Storage storage)
            throws StoreException {
        var from = source.parent();
        var to = target.parent();
        from.requireDirectory();
        to.requireDirectory();
        Names.require(source.name(), from.mounted.nameMax());
        Names.require(target.name(), to.mounted.nameMax());
        Change<Void> rename =
                call -> {
                    rename(call, source, target);
                    return null;
                };
        boolean isWithin = from.id.equals(to.id);
        var changed = isWithin ? renamedWithin(from, rename) : renamedBetween(from, to, rename);
        if (storage == Storage.SYNC) {
            store.syncs().sync(to, isWithin ? null : from);
        }
        return changed;
    }

    private Changed<Changed<Void>> renamedWithin(LinuxNode directory, Change<Void> rename)
            throws StoreException {
        try (var _ = store.locks().lock(directory.id)) {
            return store.threads()
                    .runWaiting(
                            directory.id,
                            call -> {
                                var changed = change(call, directory, rename);
                                return new Changed<>(changed.before(), changed.after(), changed);
                            });
        }
    }

    /**
     * Renames from one directory to another without the locks of either. The kernel waits for other
     * such renames in the file system before it locks the directories: a local process, whose
     * rename hangs in a directory of its own, could keep all changes from them.
     */
    private Changed<Changed<Void>> renamedBetween(LinuxNode from, LinuxNode to, Change<Void> rename)
            throws StoreException {
        return store.threads()
                .runWaiting(
                        from.mounted.renames(),
                        List.of(from.id, to.id),
                        call -> {
                            store.all().at(Step.MOVE);
                            return change(call, from, again -> change(again, to, rename));
                        });
    }

    private void rename(Call call, ChildName source, ChildName target) throws StoreException {
        var replaced = named(call, target);
        var moved = named(call, source);
        try {
            ErrnoFailures.check(
                    source.make(
                            call,
                            (scratch, from, name) ->
                                    Kernel.renameat2(
                                            scratch,
                                            from,
                                            name,
                                            target.parent().descriptor,
                                            scratch.name(
                                                    Scratch.OTHER_NAME, target.name().segment()),
                                            0)));
            boolean same = replaced != null && moved != null && replaced.id.equals(moved.id);
            if (replaced != null && !same) {
                store.forget(call.scratch, target.parent(), target.name(), replaced);
            }
            if (moved != null && !same) {
                store.moved(source.parent(), source.name(), target.parent(), target.name(), moved);
            }
        } finally {
            release(replaced);
            release(moved);
        }
    }

    Changed<FileStatus> link(ChildName child, LinuxNode file, Storage storage)
            throws StoreException {
        requireName(child);
        if (file.isDirectory()) {
            throw new StoreException(Failure.ISDIR);
        }
        var changed = change(child, Permission.NAMES, call -> link(call, child, file));
        if (storage == Storage.SYNC) {
            store.syncs().sync(child.parent(), file);
        }
        return changed;
    }

    private FileStatus link(Call call, ChildName child, LinuxNode file) throws StoreException {
        file.stat(call.scratch);
        ErrnoFailures.check(
                child.make(
                        call,
                        (scratch, directory, name) ->
                                Kernel.linkat(scratch, file.descriptor, directory, name)));
        store.learn(child.parent(), child.name(), file);
        return file.status(call.scratch);
    }
}
