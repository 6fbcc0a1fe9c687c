package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.linux.KernelSetting;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.server.export.ExportedFiles;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.FileGuard.Check;
import io.github.rpcrdma4j.nfs.server.served.FileGuard.Subject;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file whose operations fail with AGAIN while another client has a delegation that conflicts with
 * them. They do so for callers with the rights that they need: others get what they get without
 * delegations.
 */
record GuardedNode(Node node, OpenExport export, FileGuard guard) implements ForwardingNode {
    /** Whether users link only what they may read and write (proc(5)). */
    private static final Path PROTECTED_LINKS = Path.of("/proc/sys/fs/protected_hardlinks");

    /** A change of a file. */
    private interface Change<T> {
        T make() throws StoreException;
    }

    private <T> T changing(Subject subject, Check rights, Change<T> change) throws StoreException {
        return changing(node.id(), subject, rights, change);
    }

    /** Changes data of this file. */
    private <T> T changing(Caller caller, Change<T> change) throws StoreException {
        return changing(Subject.DATA, needs(caller, Permission.WRITE), change);
    }

    private Check needs(Caller caller, Permission permission) {
        return () -> node.require(caller, permission);
    }

    private void requireReadable(Caller caller) throws StoreException {
        guard.requireReadable(export, node.id(), needs(caller, Permission.READ));
    }

    /** A change of a range of another file of the store. */
    private interface RangeChange<T> {
        T make(Place target) throws StoreException;
    }

    /** Changes a range of another file by data of this one. */
    private <T> T changing(Caller caller, Place target, RangeChange<T> change)
            throws StoreException {
        var file = bare(target.file());
        Check both =
                () -> {
                    node.require(caller, Permission.READ);
                    file.require(caller, Permission.WRITE);
                };
        guard.requireReadable(export, node.id(), both);
        var place = new Place(file, target.offset());
        return target.file() instanceof GuardedNode guarded
                ? guarded.changing(Subject.DATA, both, () -> change.make(place))
                : change.make(place);
    }

    /** Returns the file itself: the operations of a store take nodes of the store. */
    private static Node bare(Node other) {
        return other instanceof GuardedNode guarded ? guarded.node : other;
    }

    /** Changes a name of this directory, or the file that has it. */
    private <T> T changing(FileName name, Check rights, Change<T> change) throws StoreException {
        return changing(delegable(name), rights, change);
    }

    private <T> T changing(Optional<FileId> file, Check rights, Change<T> change)
            throws StoreException {
        return file.isPresent()
                ? changing(file.get(), Subject.ATTRIBUTES, rights, change)
                : change.make();
    }

    private <T> T changing(FileId file, Subject subject, Check rights, Change<T> change)
            throws StoreException {
        guard.beginChange(export, file, subject, rights);
        try {
            return change.make();
        } finally {
            guard.endChange(export, file, subject);
        }
    }

    /** Returns the file with a name, if it may be delegated. */
    private Optional<FileId> delegable(FileName name) {
        // A file may become delegated while the change is in progress.
        if (!guard.mayDelegate(export) || name.isDots()) {
            return Optional.empty();
        }
        try {
            return Optional.of(node.lookup(new Caller.Server(), name).id());
        } catch (StoreException _) {
            // The operation itself finds no file, or meets the failure again.
            return Optional.empty();
        }
    }

    /** CREATE of a name that exists may set the size of its file, and nothing else. */
    @Override
    public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        if (!(how instanceof Creation.Unchecked(var wanted)) || wanted.size().isEmpty()) {
            return node.create(caller, name, how, storage);
        }
        var expected = delegable(name);
        var changed =
                changing(
                        expected,
                        () -> requireToCut(caller, expected.orElseThrow()),
                        () -> node.create(caller, name, how, storage));
        var made = changed.value();
        var found = made.made().map(Made.Entry::id);
        if (!made.isNew() && found.isPresent() && !found.equals(expected)) {
            recall(found.get());
        }
        return changed;
    }

    private void requireToCut(Caller caller, FileId file) throws StoreException {
        node.require(caller, Permission.SEARCH);
        try (var found = export.store().node(file, Mounts.CROSS)) {
            found.require(caller, Permission.WRITE);
        }
    }

    /** Another file has got a name since it was looked up, and has been changed. */
    private void recall(FileId file) {
        try {
            changing(file, Subject.ATTRIBUTES, () -> {}, () -> null);
        } catch (StoreException _) {
            // Its clients give it back.
        }
    }

    @Override
    public Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return changing(
                name,
                () -> node.requireNameChange(caller, name),
                () -> node.remove(caller, name, storage));
    }

    @Override
    public Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        var to = bare(target);
        Check rights =
                () -> {
                    node.requireNameChange(caller, name);
                    to.requireNameChange(caller, newName);
                };
        Change<Changed<Changed<Void>>> rename =
                () -> node.rename(caller, name, to, newName, storage);
        return changing(
                name,
                rights,
                target instanceof GuardedNode guarded
                        ? () -> guarded.changing(newName, rights, rename)
                        : rename);
    }

    @Override
    public Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        if (file instanceof GuardedNode guarded) {
            Check rights =
                    () -> {
                        node.require(caller, Permission.NAMES);
                        if (KernelSetting.read(PROTECTED_LINKS).orElse(0) != 0) {
                            guarded.node.require(caller, Permission.LINK);
                        }
                    };
            return guarded.changing(
                    Subject.ATTRIBUTES,
                    rights,
                    () -> node.link(caller, guarded.node, name, storage));
        }
        return node.link(caller, file, name, storage);
    }

    @Override
    public Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> unchangedSince,
            Storage storage)
            throws StoreException {
        if (changesNothing(changes)) {
            // It needs no right, and tells no more than the attributes: whether v3's guard is met.
            return node.setAttributes(caller, basis, changes, unchangedSince, storage);
        }
        return changing(
                Subject.ATTRIBUTES,
                () -> node.requireToSet(caller, basis, changes),
                () -> node.setAttributes(caller, basis, changes, unchangedSince, storage));
    }

    private static boolean changesNothing(AttributeChanges changes) {
        return changes.size().isEmpty() && !changes.changesRights() && !changes.changesTimes();
    }

    /**
     * Reads for any version. A store of a program gets memory without what it had before, which
     * others may have read: such a store may tell more bytes than it has filled.
     */
    @Override
    public ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException {
        requireReadable(caller);
        if (export.export().files() instanceof ExportedFiles.OfStore) {
            target.fill((byte) 0);
        }
        return node.read(caller, offset, target);
    }

    @Override
    public Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        return changing(caller, () -> node.write(caller, offset, source, stability, storage));
    }

    @Override
    public Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        requireReadable(caller);
        return node.seek(caller, offset, wanted);
    }

    @Override
    public Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return changing(caller, () -> node.allocate(caller, offset, length, storage));
    }

    @Override
    public Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return changing(caller, () -> node.deallocate(caller, offset, length, storage));
    }

    @Override
    public Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException {
        return changing(caller, target, bare -> node.copyRange(caller, offset, length, bare));
    }

    @Override
    public Changed<Void> cloneRange(
            Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException {
        return changing(
                caller, target, bare -> node.cloneRange(caller, offset, length, bare, storage));
    }

    @Override
    public Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException {
        return changing(
                Subject.ATTRIBUTES,
                needs(caller, Permission.OPEN_WRITE),
                () -> node.setXattr(caller, name, value, rule, storage));
    }

    @Override
    public Changed<Void> removeXattr(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return changing(
                Subject.ATTRIBUTES,
                needs(caller, Permission.OPEN_WRITE),
                () -> node.removeXattr(caller, name, storage));
    }
}
