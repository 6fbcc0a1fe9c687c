package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.FileGuard.Subject;
import io.github.rpcrdma4j.nfs.server.store.Acls;
import io.github.rpcrdma4j.nfs.server.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import io.github.rpcrdma4j.nfs.server.store.Creation;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import io.github.rpcrdma4j.nfs.server.store.FileStatus;
import io.github.rpcrdma4j.nfs.server.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.server.store.KernelLease;
import io.github.rpcrdma4j.nfs.server.store.KernelLocks;
import io.github.rpcrdma4j.nfs.server.store.Node;
import io.github.rpcrdma4j.nfs.server.store.Permission;
import io.github.rpcrdma4j.nfs.server.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.server.store.SpecialFile;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import io.github.rpcrdma4j.nfs.server.store.Time;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Stability;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A file whose operations wait for the delegations of other clients. Its methods throw AGAIN
 * meanwhile.
 */
record GuardedNode(Node node, OpenExport export, FileGuard guard) implements Node {
    /** A change of a file. */
    private interface Change<T> {
        T make() throws StoreException;
    }

    private <T> T changing(Subject subject, Change<T> change) throws StoreException {
        return changing(node.id(), subject, change);
    }

    /** A change of a range of another file of the store. */
    private interface RangeChange<T> {
        T make(Place target) throws StoreException;
    }

    private static <T> T changing(Place target, RangeChange<T> change) throws StoreException {
        var bare = new Place(bare(target.file()), target.offset());
        if (target.file() instanceof GuardedNode guarded) {
            return guarded.changing(Subject.DATA, () -> change.make(bare));
        }
        return change.make(bare);
    }

    /** Returns the file itself: the operations of a store take nodes of the store. */
    private static Node bare(Node other) {
        return other instanceof GuardedNode guarded ? guarded.node : other;
    }

    /** Changes a name of this directory, or the file that has it. */
    private <T> T changing(FileName name, Change<T> change) throws StoreException {
        return changing(delegable(name), change);
    }

    private <T> T changing(Optional<FileId> file, Change<T> change) throws StoreException {
        return file.isPresent() ? changing(file.get(), Subject.ATTRIBUTES, change) : change.make();
    }

    private <T> T changing(FileId file, Subject subject, Change<T> change) throws StoreException {
        guard.beginChange(export, file, subject);
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

    @Override
    public FileId id() {
        return node.id();
    }

    @Override
    public FileStatus status() throws StoreException {
        return node.status();
    }

    @Override
    public int access(Caller caller, int wanted) throws StoreException {
        return node.access(caller, wanted);
    }

    @Override
    public void require(Caller caller, Permission permission) throws StoreException {
        node.require(caller, permission);
    }

    @Override
    public Found lookup(Caller caller, FileName name) throws StoreException {
        return node.lookup(caller, name);
    }

    @Override
    public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException {
        return node.list(caller, cookie, details, sink);
    }

    @Override
    public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        if (!(how instanceof Creation.Unchecked)) {
            return node.create(caller, name, how, storage);
        }
        var expected = delegable(name);
        var changed = changing(expected, () -> node.create(caller, name, how, storage));
        var made = changed.value();
        var found = made.made().map(Made.Entry::id);
        if (!made.isNew() && found.isPresent() && !found.equals(expected)) {
            recall(found.get());
        }
        return changed;
    }

    /** Another file has got a name since it was looked up, and has been changed. */
    private void recall(FileId file) {
        try {
            changing(file, Subject.ATTRIBUTES, () -> null);
        } catch (StoreException _) {
            // Its clients give it back.
        }
    }

    @Override
    public Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return node.makeDirectory(caller, name, attributes, storage);
    }

    @Override
    public Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return node.makeSymbolicLink(caller, name, text, attributes, storage);
    }

    @Override
    public Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        return node.makeSpecialFile(caller, name, file, attributes, storage);
    }

    @Override
    public Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return changing(name, () -> node.remove(caller, name, storage));
    }

    @Override
    public Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return node.removeDirectory(caller, name, storage);
    }

    @Override
    public Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        Change<Changed<Changed<Void>>> rename =
                () -> node.rename(caller, name, bare(target), newName, storage);
        return changing(
                name,
                target instanceof GuardedNode guarded
                        ? () -> guarded.changing(newName, rename)
                        : rename);
    }

    @Override
    public Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        if (file instanceof GuardedNode guarded) {
            return guarded.changing(
                    Subject.ATTRIBUTES, () -> node.link(caller, guarded.node, name, storage));
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
        return changing(
                Subject.ATTRIBUTES,
                () -> node.setAttributes(caller, basis, changes, unchangedSince, storage));
    }

    @Override
    public byte[] readLink(Caller caller) throws StoreException {
        return node.readLink(caller);
    }

    @Override
    public ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException {
        guard.requireReadable(export, node.id());
        return node.read(caller, offset, target);
    }

    @Override
    public Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        return changing(Subject.DATA, () -> node.write(caller, offset, source, stability, storage));
    }

    @Override
    public Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
        return node.commit(caller, storage);
    }

    @Override
    public Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        guard.requireReadable(export, node.id());
        return node.seek(caller, offset, wanted);
    }

    @Override
    public Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return changing(Subject.DATA, () -> node.allocate(caller, offset, length, storage));
    }

    @Override
    public Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return changing(Subject.DATA, () -> node.deallocate(caller, offset, length, storage));
    }

    @Override
    public Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException {
        guard.requireReadable(export, node.id());
        return changing(target, bare -> node.copyRange(caller, offset, length, bare));
    }

    @Override
    public Changed<Void> cloneRange(
            Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException {
        guard.requireReadable(export, node.id());
        return changing(target, bare -> node.cloneRange(caller, offset, length, bare, storage));
    }

    @Override
    public byte[] xattr(Caller caller, FileName name) throws StoreException {
        return node.xattr(caller, name);
    }

    @Override
    public List<FileName> xattrs(Caller caller) throws StoreException {
        return node.xattrs(caller);
    }

    @Override
    public Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException {
        return changing(
                Subject.ATTRIBUTES, () -> node.setXattr(caller, name, value, rule, storage));
    }

    @Override
    public Changed<Void> removeXattr(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return changing(Subject.ATTRIBUTES, () -> node.removeXattr(caller, name, storage));
    }

    @Override
    public KernelLocks openLocks(KernelLocks.Kind first) throws StoreException {
        return node.openLocks(first);
    }

    @Override
    public Optional<KernelLocks.Lock> lockConflict(KernelLocks.Lock lock) throws StoreException {
        return node.lockConflict(lock);
    }

    @Override
    public Acls acls() throws StoreException {
        return node.acls();
    }

    @Override
    public FileSystemFeatures features() {
        return node.features();
    }

    @Override
    public boolean isReadOnly() throws StoreException {
        return node.isReadOnly();
    }

    @Override
    public SpaceStatus space() throws StoreException {
        return node.space();
    }

    @Override
    public void close() {
        node.close();
    }

    @Override
    public KernelLease openLease(KernelLease.Kind kind, KernelLease.Listener listener)
            throws StoreException {
        return node.openLease(kind, listener);
    }
}
