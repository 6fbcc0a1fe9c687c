package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.store.Acls;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.KernelLease;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.SpecialFile;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A file whose operations are those of another {@link Node} for the same file, unless a class that
 * implements this overrides them. Operations with a second file are left to that class, since the
 * other node takes no such file.
 */
interface ForwardingNode extends Node {
    /** Returns the other node, which this one closes. */
    Node node();

    @Override
    default FileId id() {
        return node().id();
    }

    @Override
    default Optional<PathName> path() {
        return node().path();
    }

    @Override
    default FileStatus status() throws StoreException {
        return node().status();
    }

    @Override
    default int access(Caller caller, int wanted) throws StoreException {
        return node().access(caller, wanted);
    }

    @Override
    default void require(Caller caller, Permission permission) throws StoreException {
        node().require(caller, permission);
    }

    @Override
    default void requireNameChange(Caller caller, FileName name) throws StoreException {
        node().requireNameChange(caller, name);
    }

    @Override
    default void requireToSet(Caller caller, Basis basis, AttributeChanges changes)
            throws StoreException {
        node().requireToSet(caller, basis, changes);
    }

    @Override
    default Found lookup(Caller caller, FileName name) throws StoreException {
        return node().lookup(caller, name);
    }

    @Override
    default FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
            throws StoreException {
        return node().list(caller, cookie, details, sink);
    }

    @Override
    default Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
            throws StoreException {
        return node().create(caller, name, how, storage);
    }

    @Override
    default Changed<Made> makeDirectory(
            Caller caller, FileName name, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return node().makeDirectory(caller, name, attributes, storage);
    }

    @Override
    default Changed<Made> makeSymbolicLink(
            Caller caller, FileName name, byte[] text, AttributeChanges attributes, Storage storage)
            throws StoreException {
        return node().makeSymbolicLink(caller, name, text, attributes, storage);
    }

    @Override
    default Changed<Made> makeSpecialFile(
            Caller caller,
            FileName name,
            SpecialFile file,
            AttributeChanges attributes,
            Storage storage)
            throws StoreException {
        return node().makeSpecialFile(caller, name, file, attributes, storage);
    }

    @Override
    default Changed<Void> remove(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return node().remove(caller, name, storage);
    }

    @Override
    default Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return node().removeDirectory(caller, name, storage);
    }

    @Override
    default Changed<Void> setAttributes(
            Caller caller,
            Basis basis,
            AttributeChanges changes,
            Optional<Time> unchangedSince,
            Storage storage)
            throws StoreException {
        return node().setAttributes(caller, basis, changes, unchangedSince, storage);
    }

    @Override
    default byte[] readLink(Caller caller) throws StoreException {
        return node().readLink(caller);
    }

    @Override
    default ReadBytes read(Caller caller, long offset, MemorySegment target) throws StoreException {
        return node().read(caller, offset, target);
    }

    @Override
    default Changed<Written> write(
            Caller caller, long offset, MemorySegment source, Stability stability, Storage storage)
            throws StoreException {
        return node().write(caller, offset, source, stability, storage);
    }

    @Override
    default Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
        return node().commit(caller, storage);
    }

    @Override
    default Sought seek(Caller caller, long offset, Content wanted) throws StoreException {
        return node().seek(caller, offset, wanted);
    }

    @Override
    default Changed<Void> allocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return node().allocate(caller, offset, length, storage);
    }

    @Override
    default Changed<Void> deallocate(Caller caller, long offset, long length, Storage storage)
            throws StoreException {
        return node().deallocate(caller, offset, length, storage);
    }

    @Override
    default byte[] xattr(Caller caller, FileName name) throws StoreException {
        return node().xattr(caller, name);
    }

    @Override
    default List<FileName> xattrs(Caller caller) throws StoreException {
        return node().xattrs(caller);
    }

    @Override
    default Changed<Void> setXattr(
            Caller caller, FileName name, byte[] value, XattrRule rule, Storage storage)
            throws StoreException {
        return node().setXattr(caller, name, value, rule, storage);
    }

    @Override
    default Changed<Void> removeXattr(Caller caller, FileName name, Storage storage)
            throws StoreException {
        return node().removeXattr(caller, name, storage);
    }

    @Override
    default KernelLocks openLocks(KernelLocks.Kind first) throws StoreException {
        return node().openLocks(first);
    }

    @Override
    default Optional<KernelLocks.Lock> lockConflict(KernelLocks.Lock lock) throws StoreException {
        return node().lockConflict(lock);
    }

    @Override
    default Acls acls() throws StoreException {
        return node().acls();
    }

    @Override
    default FileSystemFeatures features() {
        return node().features();
    }

    @Override
    default boolean isReadOnly() throws StoreException {
        return node().isReadOnly();
    }

    @Override
    default SpaceStatus space() throws StoreException {
        return node().space();
    }

    @Override
    default void close() {
        node().close();
    }

    @Override
    default KernelLease openLease(KernelLease.Kind kind, KernelLease.Listener listener)
            throws StoreException {
        return node().openLease(kind, listener);
    }
}
