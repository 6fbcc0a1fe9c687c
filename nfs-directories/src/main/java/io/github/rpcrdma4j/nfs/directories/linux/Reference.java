package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A node during one call.
 *
 * <p>Tests: {@code LinuxStoreContractTest}.
 *
 * @param mounts the view of the call on file systems that are mounted below the export
 * @param origin whose share the operations use
 * @param isClosed whether the reference was released: the node counts each once
 */
record Reference(
        LinuxStore store, LinuxNode node, Mounts mounts, Origin origin, AtomicBoolean isClosed)
        implements Node {
    Reference(LinuxStore store, LinuxNode node, Mounts mounts, Origin origin) {
        this(store, node, mounts, origin, new AtomicBoolean());
    }

    @Override
    public FileId id() {
        return node.id;
    }

    @Override
    public Optional<PathName> path() {
        return store.path(node);
    }

    @Override
    public FileStatus status() throws StoreException {
        return store.operations().attributes().status(node);
    }

    @Override
    public int access(Caller caller, int wanted) throws StoreException {
        return store.operations().attributes().access(node, caller, wanted);
    }

    @Override
    public void require(Caller caller, Permission permission) throws StoreException {
        store.operations().attributes().require(node, caller, permission);
    }

    @Override
    public void requireNameChange(Caller caller, FileName name) throws StoreException {
        directories().requireNameChange(child(caller, name));
    }

    @Override
    public Found lookup(Caller caller, FileName name) throws StoreException {
        return directories().lookup(this, caller, name);
    }

    @Override
    public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException {
        return store.operations().lists().list(this, caller, cookie, details, sink);
    }

    @Override
    public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        return directories().create(child(caller, name), how, storage);
    }

    @Override
    public Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return directories().makeDirectory(child(caller, name), attributes, storage);
    }

    @Override
    public Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return directories().makeSymbolicLink(child(caller, name), text, attributes, storage);
    }

    @Override
    public Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        return directories().makeSpecialFile(child(caller, name), file, attributes, storage);
    }

    @Override
    public Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return directories().remove(child(caller, name), false, storage);
    }

    @Override
    public Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return directories().remove(child(caller, name), true, storage);
    }

    @Override
    public Changed<Changed<Void>> rename(
            Caller caller, FileName name, Node target, FileName newName, Storage storage)
            throws StoreException {
        var to = ofThisStore(target).child(caller, newName);
        return directories().rename(child(caller, name), to, storage);
    }

    @Override
    public Changed<FileStatus> link(Caller caller, Node file, FileName name, Storage storage)
            throws StoreException {
        return directories().link(child(caller, name), ofThisStore(file).node, storage);
    }

    private NameCalls directories() {
        return store.operations().directories();
    }

    private ChildName child(Caller caller, FileName name) {
        return new ChildName(this, caller, name);
    }

    private Reference ofThisStore(Node other) throws StoreException {
        if (other instanceof Reference reference && reference.store == store) {
            return reference;
        }
        throw new StoreException(Failure.XDEV);
    }

    @Override
    public Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> guard,
            Storage storage)
            throws StoreException {
        return store.operations().attributes().set(use(caller), basis, changes, guard, storage);
    }

    @Override
    public byte[] readLink(Caller caller) throws StoreException {
        return store.operations().attributes().readLink(node);
    }

    @Override
    public ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException {
        return store.operations().data().read(use(caller), offset, target);
    }

    @Override
    public Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        return store.operations().data().write(use(caller), offset, source, stability, storage);
    }

    private DataUse use(Caller caller) {
        return new DataUse(node, caller, origin);
    }

    @Override
    public Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
        return store.operations().data().commit(use(caller), storage);
    }

    @Override
    public Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        return ranges().seek(use(caller), offset, wanted);
    }

    @Override
    public Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return ranges().allocate(use(caller), offset, length, storage);
    }

    @Override
    public Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return ranges().deallocate(use(caller), offset, length, storage);
    }

    @Override
    public Changed<Written> copyRange(Caller caller, long offset, long length, Place target)
            throws StoreException {
        var to = ofThisStore(target.file()).use(caller);
        return ranges().copy(use(caller), offset, length, to, target.offset());
    }

    @Override
    public Changed<Void> cloneRange(
            Caller caller, long offset, long length, Place target, Storage storage)
            throws StoreException {
        var to = ofThisStore(target.file()).use(caller);
        return ranges().cloned(use(caller), offset, length, to, target.offset(), storage);
    }

    private RangeCalls ranges() {
        return store.operations().ranges();
    }

    @Override
    public byte[] xattr(Caller caller, FileName name) throws StoreException {
        return store.operations().xattrs().value(node, caller, name);
    }

    @Override
    public List<FileName> xattrs(Caller caller) throws StoreException {
        return store.operations().xattrs().names(node, caller);
    }

    @Override
    public Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException {
        return store.operations().xattrs().set(node, caller, name, value, rule, storage);
    }

    @Override
    public Changed<Void> removeXattr(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return store.operations().xattrs().remove(node, caller, name, storage);
    }

    @Override
    public KernelLease openLease(KernelLease.Kind kind, KernelLease.Listener listener)
            throws StoreException {
        return LinuxLease.open(store, store.operations().access(), node, kind, listener);
    }

    @Override
    public KernelLocks openLocks(KernelLocks.Kind first) throws StoreException {
        return LinuxLocks.open(store, store.operations().access(), node, first);
    }

    @Override
    public Optional<KernelLocks.Lock> lockConflict(KernelLocks.Lock lock) throws StoreException {
        return LinuxLocks.conflict(store, store.operations().access(), node, lock);
    }

    @Override
    public Acls acls() throws StoreException {
        return store.operations().acls().of(node);
    }

    @Override
    public FileSystemFeatures features() {
        return node.mounted.features();
    }

    @Override
    public boolean isReadOnly() throws StoreException {
        return store.operations().attributes().isReadOnly(node);
    }

    @Override
    public SpaceStatus space() throws StoreException {
        return store.operations().attributes().space(node);
    }

    @Override
    public void close() {
        if (!isClosed.getAndSet(true)) {
            if (node.isGone()) {
                store.all().forgetGone(store, node);
            }
            node.release();
            store.uses().end();
        }
    }
}
