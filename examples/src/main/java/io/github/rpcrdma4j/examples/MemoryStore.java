package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.StoreOpener;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Files in memory: a store of one's own. One lock guards all files; operations only move bytes, so
 * none waits long. The files are gone with this object.
 *
 * <p>Tests: {@code MemoryStoreTest}.
 */
public final class MemoryStore implements StoreOpener {
    private static final int EMPTY_DIRECTORY = 2;

    private final Map<FileId, MemoryFile> files = new HashMap<>();
    private final MemoryFile root;

    /** Tells the files from those of an earlier run with their numbers. */
    private final long run = new SecureRandom().nextLong();

    private long lastNumber;

    /** Makes a store of one empty directory, which all users may change. */
    public MemoryStore() {
        root = newFile(FileType.DIRECTORY, 0777, new Caller.Server());
        root.link(FileName.SELF, root);
        root.link(FileName.PARENT, root);
    }

    private MemoryFile newFile(FileType type, int mode, Caller owner) {
        lastNumber++;
        var id = new FileId(ByteBuffer.allocate(16).putLong(lastNumber).putLong(run).array());
        files.put(id, new MemoryFile(id, lastNumber, type, mode, owner));
        return files.get(id);
    }

    /** Forgets a file whose last name is gone. */
    private void forgetIfUnnamed(MemoryFile file) {
        if (file.isDirectory()) {
            file.unlink(FileName.PARENT);
            file.unlink(FileName.SELF);
        }
        if (file.links == 0) {
            files.remove(file.id);
        }
    }

    @Override
    public FileStore open(long fileSystem, WriteVerifier verifier) {
        return new Opened(fileSystem, verifier);
    }

    /** An operation that has the lock. */
    private interface Operation<R> {
        R run() throws StoreException;
    }

    /** The files as one export has them. */
    private final class Opened implements FileStore {
        private final long fileSystem;
        private final WriteVerifier verifier;
        private volatile boolean isClosed;

        Opened(long fileSystem, WriteVerifier verifier) {
            this.fileSystem = fileSystem;
            this.verifier = verifier;
        }

        @Override
        public FileId root() {
            return root.id;
        }

        @Override
        public Node node(FileId id, Mounts mounts, Origin origin) throws StoreException {
            synchronized (files) {
                Failure.STALE.unless(!isClosed && files.containsKey(id));
                return new Reference(files.get(id));
            }
        }

        @Override
        public void close() {
            isClosed = true;
        }

        /** A file as a call uses it. */
        private final class Reference implements Node {
            private final MemoryFile self;

            Reference(MemoryFile self) {
                this.self = self;
            }

            /** Changes this file. Attributes from before and after tell clients what others did. */
            private <R> Changed<R> change(Operation<R> operation) throws StoreException {
                synchronized (files) {
                    var before = status();
                    var value = operation.run();
                    return Changed.of(before, self.status(fileSystem), value);
                }
            }

            @Override
            public FileSystemFeatures features() {
                return FileSystemFeatures.WITH_LINKS;
            }

            @Override
            public FileId id() {
                return self.id;
            }

            @Override
            public FileStatus status() throws StoreException {
                synchronized (files) {
                    Failure.STALE.unless(files.containsKey(self.id));
                    return self.status(fileSystem);
                }
            }

            private Made.Entry entry(MemoryFile file) {
                return new Made.Entry(file.id, file.status(fileSystem));
            }

            /** Returns the file of a name of this directory; null if there is none. */
            private MemoryFile find(Caller caller, FileName name) throws StoreException {
                Node.requireName(name);
                status().requireDirectory();
                require(caller, Permission.SEARCH);
                var entry = self.names.get(name);
                return entry == null ? null : entry.file();
            }

            @Override
            public Found lookup(Caller caller, FileName name) throws StoreException {
                synchronized (files) {
                    status().requireDirectory();
                    require(caller, Permission.SEARCH);
                    boolean isUp = name.isDots();
                    var file = isUp ? self.names.get(name).file() : find(caller, name);
                    Failure.NOENT.unless(file != null);
                    return new Found(file.id, file.status(fileSystem), status());
                }
            }

            @Override
            public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
                    throws StoreException {
                synchronized (files) {
                    status().requireDirectory();
                    require(caller, Permission.LIST);
                    boolean finds = (access(caller, EXECUTE) & EXECUTE) != 0;
                    Failure.BAD_COOKIE.unless(cookie >= 0 && cookie <= self.lastCookie);
                    for (var each : self.names.entrySet()) {
                        long at = each.getValue().cookie();
                        var file = each.getValue().file();
                        if (at <= cookie) {
                            continue;
                        }
                        var entry = Optional.of(entry(file)).filter(_ -> details && finds);
                        if (!sink.add(each.getKey(), file.number, at, entry)) {
                            return status();
                        }
                    }
                    sink.end();
                    return status();
                }
            }

            private MemoryFile make(
                    FileType type, Caller caller, FileName name, AttributeChanges wanted)
                    throws StoreException {
                Failure.EXIST.unless(find(caller, name) == null);
                require(caller, Permission.NAMES);
                wanted.requireWithoutAcls();
                int usual = type == FileType.REGULAR ? 0666 : 0777;
                var file = newFile(type, wanted.modeOfNew(usual), caller);
                self.link(name, file);
                if (file.isDirectory()) {
                    file.link(FileName.SELF, file);
                    file.link(FileName.PARENT, self);
                }
                file.set(wanted);
                file.mode = wanted.modeOfNew(usual);
                return file;
            }

            private Made made(MemoryFile file, boolean isNew) {
                return new Made(Optional.of(entry(file)), isNew);
            }

            @Override
            public Changed<Made> create(Caller caller, FileName name, Creation how, Storage storage)
                    throws StoreException {
                return change(
                        () -> {
                            var file = find(caller, name);
                            if (file == null || how instanceof Creation.Guarded) {
                                file = make(FileType.REGULAR, caller, name, how.attributes());
                                file.how = how;
                                return made(file, true);
                            }
                            Failure.EXIST.unless(file.type == FileType.REGULAR);
                            var size = how.attributes().size();
                            if (how instanceof Creation.Exclusive) {
                                Failure.EXIST.unless(how.equals(file.how) && file.size == 0);
                            } else if (size.isPresent()) {
                                new Reference(file).require(caller, Permission.WRITE);
                                file.resize(size.getAsLong());
                            }
                            return made(file, false);
                        });
            }

            @Override
            public Changed<Made> makeDirectory(
                    Caller caller, FileName name, AttributeChanges wanted, Storage storage)
                    throws StoreException {
                return change(() -> made(make(FileType.DIRECTORY, caller, name, wanted), true));
            }

            @Override
            public Changed<Made> makeSymbolicLink(
                    Caller caller,
                    FileName name,
                    byte[] text,
                    AttributeChanges wanted,
                    Storage storage)
                    throws StoreException {
                return change(
                        () -> {
                            Failure.INVAL.unless(text.length > 0);
                            var file = make(FileType.SYMBOLIC_LINK, caller, name, wanted);
                            file.bytes = text.clone();
                            file.size = text.length;
                            return made(file, true);
                        });
            }

            @Override
            public byte[] readLink(Caller caller) throws StoreException {
                synchronized (files) {
                    Failure.INVAL.unless(status().type() == FileType.SYMBOLIC_LINK);
                    return self.bytes.clone();
                }
            }

            /** Takes a name from a file, which must be a directory or must not. */
            private Void unlink(Caller caller, FileName name, boolean directory)
                    throws StoreException {
                var file = find(caller, name);
                Failure.NOENT.unless(file != null);
                requireNameChange(caller, name);
                Failure.NOTDIR.unless(file.isDirectory() || !directory);
                Failure.ISDIR.unless(!file.isDirectory() || directory);
                Failure.NOTEMPTY.unless(file.names.size() <= EMPTY_DIRECTORY);
                self.unlink(name);
                forgetIfUnnamed(file);
                return null;
            }

            @Override
            public Changed<Void> remove(Caller caller, FileName name, Storage storage)
                    throws StoreException {
                return change(() -> unlink(caller, name, false));
            }

            @Override
            public Changed<Void> removeDirectory(Caller caller, FileName name, Storage storage)
                    throws StoreException {
                return change(() -> unlink(caller, name, true));
            }

            @Override
            public Changed<Changed<Void>> rename(
                    Caller caller, FileName name, Node target, FileName newName, Storage storage)
                    throws StoreException {
                var to = own(target);
                return change(() -> to.change(() -> move(caller, name, to, newName)));
            }

            private Reference own(Node other) throws StoreException {
                synchronized (files) {
                    Failure.XDEV.unless(
                            other instanceof Reference own && files.get(own.self.id) == own.self);
                    return (Reference) other;
                }
            }

            private Void move(Caller caller, FileName name, Reference to, FileName newName)
                    throws StoreException {
                var file = find(caller, name);
                Failure.NOENT.unless(file != null);
                var replaced = to.find(caller, newName);
                requireNameChange(caller, name);
                to.requireNameChange(caller, newName);
                for (var at = to.self; at != root; at = at.names.get(FileName.PARENT).file()) {
                    Failure.INVAL.unless(at != file);
                }
                if (replaced == file) {
                    return null;
                }
                if (replaced != null) {
                    to.unlink(caller, newName, file.isDirectory());
                }
                self.unlink(name);
                to.self.link(newName, file);
                if (file.isDirectory()) {
                    file.unlink(FileName.PARENT);
                    file.link(FileName.PARENT, to.self);
                }
                return null;
            }

            @Override
            public Changed<FileStatus> link(
                    Caller caller, Node file, FileName name, Storage storage)
                    throws StoreException {
                var linked = own(file).self;
                return change(
                        () -> {
                            Failure.EXIST.unless(find(caller, name) == null);
                            require(caller, Permission.NAMES);
                            Failure.ISDIR.unless(!linked.isDirectory());
                            self.link(name, linked);
                            return linked.status(fileSystem);
                        });
            }

            @Override
            public Changed<Void> setAttributes(
                    Caller caller,
                    Basis basis,
                    AttributeChanges changes,
                    Optional<Time> guard,
                    Storage storage)
                    throws StoreException {
                return change(
                        () -> {
                            Failure.NOT_SYNC.unless(
                                    guard.isEmpty() || guard.get().equals(self.changed));
                            changes.requireWithoutAcls();
                            if (changes.size().isPresent()) {
                                status().requireRegular();
                            }
                            requireToSet(caller, basis, changes);
                            Failure.PERM.unless(caller.isRoot() || !changes.changesOwner());
                            self.set(changes);
                            return null;
                        });
            }

            @Override
            public ReadBytes read(Caller caller, long offset, MemorySegment target)
                    throws StoreException {
                synchronized (files) {
                    status().requireRegular();
                    require(caller, Permission.READ);
                    int bytes = (int) Math.clamp(self.size - offset, 0, target.byteSize());
                    MemorySegment.copy(
                            MemorySegment.ofArray(self.bytes),
                            Math.min(offset, self.size),
                            target,
                            0,
                            bytes);
                    self.accessed = Time.now();
                    return ReadBytes.of(
                            bytes, target.byteSize(), offset, self.size, Optional.of(status()));
                }
            }

            @Override
            public Changed<Written> write(
                    Caller caller,
                    long offset,
                    MemorySegment source,
                    Stability stability,
                    Storage storage)
                    throws StoreException {
                return change(
                        () -> {
                            status().requireRegular();
                            require(caller, Permission.WRITE);
                            int bytes = (int) source.byteSize();
                            Failure.FBIG.unless(offset <= Integer.MAX_VALUE);
                            if (bytes > 0) {
                                self.resize(Math.max(self.size, offset + bytes));
                                MemorySegment.copy(
                                        source,
                                        0,
                                        MemorySegment.ofArray(self.bytes),
                                        offset,
                                        bytes);
                            }
                            return new Written(bytes, stability, verifier.now());
                        });
            }

            @Override
            public Changed<Long> commit(Caller caller, Storage storage) throws StoreException {
                return change(
                        () -> {
                            status().requireRegular();
                            require(caller, Permission.WRITE);
                            return verifier.now();
                        });
            }
        }
    }
}
