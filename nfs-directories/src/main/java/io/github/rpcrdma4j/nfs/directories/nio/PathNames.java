package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.directories.index.NodeIndex;
import io.github.rpcrdma4j.nfs.directories.linux.MountPoints;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.Node.Changed;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Operations on the names in directories, while their paths are valid.
 *
 * <p>Tests: {@code NioStoreContractTest}, {@code NioStoreTest}.
 */
record PathNames(
        NioStore store,
        AttributeReader reader,
        AttributeWriter writer,
        OpenFiles openFiles,
        NodeIndex<Inode> index) {
    /** A new file is accessible to its owner alone until it has the requested mode. */
    private static final int OWNER_FILE = 0600;

    private static final int OWNER_DIRECTORY = 0700;
    private static final int PERMISSIONS = 0777;

    /** From this many names on, an unexplained failure of a link counts as too many links. */
    private static final int LINKS_MANY = 32_000;

    private static final AttributeChanges NONE = AttributeChanges.NONE;

    private interface Making {
        void make(Path path) throws IOException;
    }

    Changed<Made> create(Change change, FileName name, Creation how) throws StoreException {
        var directory = change.file();
        directory.requireDirectory();
        var path = directory.inside(name);
        var attributes =
                ofNew(
                        switch (how) {
                            case Creation.Unchecked(var wanted) -> wanted;
                            case Creation.Guarded(var wanted) -> wanted;
                            case Creation.Exclusive(var verifier, var wanted) ->
                                    mark(verifier, wanted);
                        });
        try {
            Files.createFile(path, initial(attributes, OWNER_FILE));
        } catch (FileAlreadyExistsException exists) {
            return existing(change, name, how);
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, path);
        }
        return finish(change, name, attributes);
    }

    /** Returns the attributes of a new file, after the umask. */
    private static AttributeChanges ofNew(AttributeChanges wanted) throws StoreException {
        AttributeWriter.requireNoAcls(wanted);
        int umask = wanted.umask().orElse(0) & PERMISSIONS;
        var mode = wanted.mode();
        return new AttributeChanges(
                mode.isPresent() ? OptionalInt.of(mode.getAsInt() & ~umask) : mode,
                wanted.uid(),
                wanted.gid(),
                wanted.size(),
                wanted.accessed(),
                wanted.modified());
    }

    private FileAttribute<?>[] initial(AttributeChanges wanted, int mode) {
        return wanted.mode().isPresent() && reader.keepsPermissions()
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(AttributeWriter.permissions(mode))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Uses an existing file if the creation allows it: any file for an unchecked one, or the file
     * of this call for an exclusive one.
     */
    private Changed<Made> existing(Change change, FileName name, Creation how)
            throws StoreException {
        var there = store.child(change.file(), name, change.mounts());
        switch (how) {
            case Creation.Guarded _ -> throw new StoreException(Failure.EXIST);
            case Creation.Unchecked(var wanted) -> {
                if (there.attributes().isDirectory()) {
                    throw new StoreException(Failure.EXIST);
                }
                if (wanted.size().isPresent() && there.attributes().isRegular()) {
                    try (var _ = store.concurrentChanges().begin(there.inode())) {
                        writer.apply(there, AttributeChanges.ofSize(wanted.size()));
                    }
                }
            }
            case Creation.Exclusive(var verifier, _) -> {
                if (!there.attributes().isRegular()
                        || !isMarked(there, verifier)
                        || !reader.isOfProcess(there.attributes().status())) {
                    throw new StoreException(Failure.EXIST);
                }
            }
        }
        change.forcing().file(there);
        change.forcing().directory(change.file());
        return made(change, name, false);
    }

    /**
     * Returns attributes with times that store the verifier, so that it survives a crash (RFC 1813,
     * Section 3.3.8).
     */
    private static AttributeChanges mark(long verifier, AttributeChanges wanted) {
        return new AttributeChanges(
                wanted.mode(),
                wanted.umask(),
                wanted.uid(),
                wanted.gid(),
                OptionalLong.empty(),
                wanted.acls(),
                new TimeChange.To(half(verifier >>> Integer.SIZE)),
                new TimeChange.To(half(verifier)));
    }

    /** Returns whether a call with the verifier made a file, which is unchanged since. */
    private static boolean isMarked(ResolvedFile file, long verifier) {
        var status = file.attributes().status();
        return status.accessed().equals(half(verifier >>> Integer.SIZE))
                && status.modified().equals(half(verifier))
                && status.size() == 0;
    }

    /**
     * Returns half of the verifier as a time. It uses 31 bits of seconds, which every file system
     * can store.
     */
    private static Time half(long verifier) {
        return new Time((int) verifier & Integer.MAX_VALUE, 0);
    }

    Changed<Made> makeDirectory(Change change, FileName name, AttributeChanges wanted)
            throws StoreException {
        var attributes = ofNew(wanted);
        make(
                change,
                name,
                path -> Files.createDirectory(path, initial(attributes, OWNER_DIRECTORY)));
        return finish(change, name, attributes);
    }

    Changed<Made> makeSymbolicLink(Change change, FileName name, byte[] text)
            throws StoreException {
        var target = target(change.file(), text);
        make(change, name, path -> Files.createSymbolicLink(path, target));
        return finish(change, name, NONE);
    }

    private static Path target(ResolvedFile directory, byte[] text) throws StoreException {
        try {
            var decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
            if (!decoded.isEmpty()) {
                return directory.path().getFileSystem().getPath(decoded.toString());
            }
        } catch (CharacterCodingException | InvalidPathException _) {
            // The text is no path of this file system.
        }
        throw new StoreException(Failure.INVAL);
    }

    private void make(Change change, FileName name, Making making) throws StoreException {
        change.file().requireDirectory();
        var path = change.file().inside(name);
        try {
            making.make(path);
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, path);
        }
    }

    /** Sets the attributes of a new file, and removes the file if this fails. */
    private Changed<Made> finish(Change change, FileName name, AttributeChanges attributes)
            throws StoreException {
        try {
            var file = store.child(change.file(), name, change.mounts());
            writer.apply(file, attributes);
            change.forcing().file(file);
            change.forcing().directory(change.file());
            return made(change, name, true);
        } catch (StoreException | RuntimeException failure) {
            try {
                Files.deleteIfExists(change.file().inside(name));
            } catch (IOException _) {
                // The first failure is more informative.
            }
            throw failure;
        }
    }

    private Changed<Made> made(Change change, FileName name, boolean isNew) {
        var file = store.findChild(change.file(), name, change.mounts());
        return change.done(new Made(file.map(each -> each.attributes().entry()), isNew));
    }

    Changed<Void> remove(Change change, FileName name, boolean wantsDirectory)
            throws StoreException {
        change.file().requireDirectory();
        var file = store.child(change.file(), name, change.mounts());
        if (file.attributes().isDirectory() != wantsDirectory) {
            throw new StoreException(wantsDirectory ? Failure.NOTDIR : Failure.ISDIR);
        }
        try {
            Files.delete(file.path());
        } catch (IOException | RuntimeException failure) {
            throw Failures.ofChange(failure, file.path());
        }
        forget(change.file(), name, file);
        change.forcing().directory(change.file());
        return change.done(null);
    }

    /** Records that a file lost a name. */
    private void forget(ResolvedFile directory, FileName name, ResolvedFile file) {
        boolean wasLast =
                file.attributes().isDirectory()
                        || reader.knowsLinks() && file.attributes().status().links() == 1;
        index.forget(directory.inode(), name, file.inode(), wasLast);
        openFiles.forget(file.inode(), wasLast);
    }

    Changed<Changed<Void>> rename(Change change, FileName oldName, FileName newName)
            throws StoreException {
        var from = change.file();
        var to = change.other();
        from.requireDirectory();
        to.requireDirectory();
        var target = to.inside(newName);
        var file = store.child(from, oldName, change.mounts());
        if (to.path().startsWith(file.path())) {
            // A directory cannot be moved into itself.
            throw new StoreException(Failure.INVAL);
        }
        var replaced = store.findChild(to, newName, change.mounts());
        if (replaced.isPresent()) {
            requireReplaceable(file, replaced.get());
        }
        boolean same = replaced.isPresent() && replaced.get().inode().equals(file.inode());
        if (!same) {
            move(file, target, replaced);
            replaced.ifPresent(gone -> forget(to, newName, gone));
            store.learn(to, newName, new ResolvedFile(target, file.attributes()));
            index.forget(from.inode(), oldName, file.inode(), false);
            change.forcing().directory(from);
            change.forcing().directory(to);
        }
        return change.done(change.doneToOther());
    }

    private static void move(ResolvedFile file, Path target, Optional<ResolvedFile> replaced)
            throws StoreException {
        try {
            Files.move(
                    file.path(),
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException failure) {
            if (replaced.isPresent() && hasEntries(replaced.get())) {
                throw new StoreException(Failure.NOTEMPTY);
            }
            throw Failures.ofChange(failure, file.path());
        }
    }

    private static boolean hasEntries(ResolvedFile file) {
        if (!file.attributes().isDirectory()) {
            return false;
        }
        try (var names = Files.newDirectoryStream(file.path())) {
            return names.iterator().hasNext();
        } catch (IOException _) {
            return false;
        }
    }

    private static void requireReplaceable(ResolvedFile file, ResolvedFile replaced)
            throws StoreException {
        if (file.attributes().isDirectory() && !replaced.attributes().isDirectory()) {
            throw new StoreException(Failure.NOTDIR);
        }
        if (!file.attributes().isDirectory() && replaced.attributes().isDirectory()) {
            throw new StoreException(Failure.ISDIR);
        }
    }

    Changed<FileStatus> link(Change change, FileName name) throws StoreException {
        var directory = change.file();
        var file = change.other();
        directory.requireDirectory();
        var path = directory.inside(name);
        if (file.attributes().isDirectory()) {
            throw new StoreException(Failure.ISDIR);
        }
        if (file.attributes().device() != directory.attributes().device()) {
            throw new StoreException(Failure.XDEV);
        }
        try {
            Files.createLink(path, file.path());
        } catch (IOException | RuntimeException failure) {
            throw ofLink(Failures.ofChange(failure, file.path()), file, directory);
        }
        // A program often removes the old name next.
        store.learn(directory, name, new ResolvedFile(path, file.attributes()));
        change.forcing().file(file);
        change.forcing().directory(directory);
        return change.done(store.now(file).orElse(file.attributes().status()));
    }

    /**
     * Returns the failure of a link. The system refuses links between two mounts, even between two
     * of the same file system; Java has no type for that.
     */
    private static StoreException ofLink(
            StoreException known, ResolvedFile file, ResolvedFile directory) {
        boolean isVague = known.failure() == Failure.IO || known.failure() == Failure.PERM;
        if (isVague
                && file.path().getFileSystem().equals(FileSystems.getDefault())
                && MountPoints.separate(file.path(), directory.path())) {
            return new StoreException(Failure.XDEV);
        }
        boolean isMany = file.attributes().status().links() >= LINKS_MANY;
        return known.failure() == Failure.IO && isMany ? new StoreException(Failure.MLINK) : known;
    }
}
