package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Origin;
import io.github.rpcrdma4j.nfs.store.Permission;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.StoreOpener;
import io.github.rpcrdma4j.nfs.store.Time;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Texts that all users may read and nobody may change: a store of the fewest methods.
 *
 * <p>Tests: {@code TextStoreTest}.
 */
public final class TextStore implements StoreOpener {
    private final Map<FileId, TextFile> files = new HashMap<>();
    private final TextFile root;
    private final Time made;

    /**
     * A text, or a directory.
     *
     * @param id its path, so that a client finds the file when the server was restarted
     * @param above its directory; empty for the root
     * @param names the files of a directory, in the order of a listing
     * @param text empty for a directory
     */
    private record TextFile(
            FileId id,
            long number,
            Optional<TextFile> above,
            Map<FileName, TextFile> names,
            Optional<byte[]> text) {
        TextFile directory() {
            return above.orElse(this);
        }
    }

    /**
     * Makes a store of texts.
     *
     * @param texts by their paths, such as {@code notes/today}, of at most {@link FileId#BYTES_MAX}
     *     bytes
     * @param made the time that all files have
     */
    public TextStore(Map<String, String> texts, Time made) {
        this.made = made;
        root = add("", Optional.empty(), Optional.empty());
        texts.forEach(
                (path, text) -> {
                    var at = root;
                    for (int i = path.indexOf('/'); i >= 0; i = path.indexOf('/', i + 1)) {
                        at = under(at, path.substring(0, i), Optional.empty());
                    }
                    under(at, path, Optional.of(text.getBytes(StandardCharsets.UTF_8)));
                });
    }

    private TextFile under(TextFile directory, String path, Optional<byte[]> text) {
        if (directory.text.isPresent()) {
            throw new IllegalArgumentException("a text cannot have files: above " + path);
        }
        var name = FileName.of(path.substring(path.lastIndexOf('/') + 1));
        return directory.names.computeIfAbsent(name, _ -> add(path, Optional.of(directory), text));
    }

    private TextFile add(String path, Optional<TextFile> above, Optional<byte[]> text) {
        var id = new FileId(path.getBytes(StandardCharsets.UTF_8));
        files.put(id, new TextFile(id, files.size() + 1, above, new LinkedHashMap<>(), text));
        return files.get(id);
    }

    @Override
    public FileStore open(long fileSystem, WriteVerifier verifier) {
        return new Opened(fileSystem);
    }

    /** The texts as one export has them. */
    private final class Opened implements FileStore {
        private final long fileSystem;

        Opened(long fileSystem) {
            this.fileSystem = fileSystem;
        }

        @Override
        public FileId root() {
            return root.id;
        }

        @Override
        public Node node(FileId id, Mounts mounts, Origin origin) throws StoreException {
            Failure.STALE.unless(files.containsKey(id));
            return new Reference(files.get(id), fileSystem);
        }
    }

    /** A file as a call uses it. */
    private final class Reference implements Node {
        private final TextFile self;
        private final long fileSystem;

        Reference(TextFile self, long fileSystem) {
            this.self = self;
            this.fileSystem = fileSystem;
        }

        @Override
        public FileId id() {
            return self.id;
        }

        @Override
        public boolean isReadOnly() {
            return true;
        }

        @Override
        public FileStatus status() {
            return status(self);
        }

        private FileStatus status(TextFile file) {
            boolean isText = file.text.isPresent();
            long bytes = isText ? file.text.get().length : 0;
            return new FileStatus(
                    isText ? FileType.REGULAR : FileType.DIRECTORY,
                    isText ? 0444 : 0555,
                    isText ? 1 : 2,
                    0,
                    0,
                    bytes,
                    bytes,
                    0,
                    0,
                    fileSystem,
                    file.number,
                    file.number,
                    made,
                    made,
                    made,
                    Optional.empty());
        }

        private Made.Entry entry(TextFile file) {
            return new Made.Entry(file.id, status(file));
        }

        @Override
        public Found lookup(Caller caller, FileName name) throws StoreException {
            status().requireDirectory();
            require(caller, Permission.SEARCH);
            if (!name.isDots()) {
                Node.requireName(name);
            }
            var up = name.equals(FileName.PARENT) ? self.directory() : self;
            var found = name.isDots() ? up : self.names.get(name);
            Failure.NOENT.unless(found != null);
            return new Found(found.id, status(found), status());
        }

        @Override
        public FileStatus list(Caller caller, long cookie, boolean details, EntrySink sink)
                throws StoreException {
            status().requireDirectory();
            require(caller, Permission.LIST);
            var all = new ArrayList<Map.Entry<FileName, TextFile>>();
            all.add(Map.entry(FileName.SELF, self));
            all.add(Map.entry(FileName.PARENT, self.directory()));
            all.addAll(self.names.entrySet());
            Failure.BAD_COOKIE.unless(cookie >= 0 && cookie <= all.size());
            for (int i = (int) cookie; i < all.size(); i++) {
                var file = all.get(i).getValue();
                var entry = Optional.of(entry(file)).filter(_ -> details);
                if (!sink.add(all.get(i).getKey(), file.number, i + 1, entry)) {
                    return status();
                }
            }
            sink.end();
            return status();
        }

        @Override
        public ReadBytes read(Caller caller, long offset, MemorySegment target)
                throws StoreException {
            status().requireRegular();
            require(caller, Permission.READ);
            byte[] text = self.text.orElseThrow();
            int bytes = (int) Math.clamp(text.length - offset, 0, target.byteSize());
            long from = Math.min(offset, text.length);
            MemorySegment.copy(MemorySegment.ofArray(text), from, target, 0, bytes);
            return ReadBytes.of(
                    bytes, target.byteSize(), offset, text.length, Optional.of(status()));
        }
    }
}
