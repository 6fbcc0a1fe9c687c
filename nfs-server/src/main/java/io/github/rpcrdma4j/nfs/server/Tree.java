package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * One export: from handles to files that are really there. Thread-safe.
 *
 * <p>A path is only used after the file at its end was found to be the one that the handle names;
 * so a folder on the way that was replaced by a link leads to a stale handle, not out of the
 * export. That it stays so while the path is used is up to {@link Forest}.
 */
final class Tree {
    /**
     * A file that was there a moment ago.
     *
     * @param rule what the caller may do with it
     */
    record Located(
            Tree tree, FileHandle handle, Path path, Attributes attributes, ExportRule rule) {
        /**
         * The path of a name in this folder.
         *
         * @throws Refusal INVAL if this file system sees more, or less, than one name in it
         */
        Path inside(String name) throws Refusal {
            var leaf = path.getFileSystem().getPath(name);
            if (leaf.isAbsolute() || leaf.getNameCount() != 1) {
                throw new Refusal(Status.INVAL);
            }
            return path.resolve(leaf);
        }

        FileAttributes file() {
            return attributes.file();
        }

        FileId id() {
            return attributes.id();
        }

        /**
         * Refuses to change what is read-only for the caller.
         *
         * @throws Refusal ROFS
         */
        void requireWritable() throws Refusal {
            if (rule.readOnly()) {
                throw new Refusal(Status.ROFS);
            }
        }
    }

    private final Export export;
    private final int number;
    private final HandleSeal seal;
    private final AttributeReader reader;
    private final NodeIndex index;
    private final ReadWriteLock paths = new ReentrantReadWriteLock();

    Tree(Export export, int number, HandleSeal seal) throws IOException {
        this.export = export;
        this.number = number;
        this.seal = seal;
        var root = export.root().toRealPath();
        this.reader = new AttributeReader(root, Integer.toUnsignedLong(number));
        this.index = new NodeIndex(root, reader, NodeIndex.NODES_MAX);
    }

    Export export() {
        return export;
    }

    /** Held while a path is used: no folder on the way loses its name. */
    Lock pathsHold() {
        return paths.readLock();
    }

    /** Held while a folder loses its name. */
    Lock pathsMove() {
        return paths.writeLock();
    }

    AttributeReader reader() {
        return reader;
    }

    FileHandle rootHandle() {
        return handle(index.rootId());
    }

    boolean isRoot(FileId file) {
        return file.equals(index.rootId());
    }

    FileHandle handle(FileId file) {
        return seal.seal(number, file);
    }

    /**
     * The file that a handle of this export names.
     *
     * @throws Refusal STALE if it is gone
     */
    Located locate(FileId file, FileHandle handle, ExportRule rule) throws Refusal {
        try {
            var path = index.path(file).orElseThrow(() -> new Refusal(Status.STALE));
            var attributes = reader.read(path);
            if (attributes.id().equals(file)) {
                return new Located(this, handle, path, attributes, rule);
            }
        } catch (IOException _) {
            // It is not where it was.
        }
        throw new Refusal(Status.STALE);
    }

    /**
     * The file of that name in a folder.
     *
     * @throws Refusal if there is none
     */
    Located child(Located folder, String name) throws Refusal, IOException {
        var path = folder.inside(name);
        var attributes = reader.read(path);
        learn(folder, name, attributes);
        return new Located(this, handle(attributes.id()), path, attributes, folder.rule());
    }

    /** The file of that name, if there is one. */
    Optional<Located> findChild(Located folder, String name) throws Refusal {
        try {
            return Optional.of(child(folder, name));
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /** The folder that a folder lies in; the root lies in itself. */
    Located parent(Located folder) throws Refusal, IOException {
        if (isRoot(folder.id())) {
            return folder;
        }
        var path = folder.path().getParent();
        var attributes = reader.read(path);
        return new Located(this, handle(attributes.id()), path, attributes, folder.rule());
    }

    void learn(Located folder, String name, Attributes file) {
        index.learn(folder.id(), name, file.id());
    }

    /** A name of a file was removed. */
    void forget(Located folder, String name, Located file) {
        boolean wasLast =
                file.attributes().isDirectory() || reader.knowsLinks() && file.file().links() == 1;
        index.forget(folder.id(), name, file.id(), wasLast);
    }

    /** The attributes as they are now; empty if the file is gone. */
    Optional<FileAttributes> now(Located file) {
        try {
            var attributes = reader.read(file.path());
            return attributes.id().equals(file.id())
                    ? Optional.of(attributes.file())
                    : Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /**
     * A name as java.nio.file takes it.
     *
     * @throws Refusal if it is too long, or is not UTF-8
     */
    static String text(FileName name) throws Refusal {
        if (name.length() > Nfs3.NAME_MAX) {
            throw new Refusal(Status.NAMETOOLONG);
        }
        if (!name.isUtf8()) {
            throw new Refusal(Status.INVAL);
        }
        return name.toString();
    }

    /**
     * Refuses what is not the name of a file in a folder.
     *
     * @throws Refusal if it has a slash or a NUL in it, is too long, or is empty
     */
    static void requireName(String name) throws Refusal {
        if (name.getBytes(StandardCharsets.UTF_8).length > Nfs3.NAME_MAX) {
            throw new Refusal(Status.NAMETOOLONG);
        }
        if (name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0) {
            throw new Refusal(Status.INVAL);
        }
    }

    /**
     * Refuses names that cannot be made or removed.
     *
     * @throws Refusal also for the two names that every folder has
     */
    static void requireChangeableName(String name) throws Refusal {
        requireName(name);
        if (name.equals(".") || name.equals("..")) {
            throw new Refusal(Status.INVAL);
        }
    }
}
