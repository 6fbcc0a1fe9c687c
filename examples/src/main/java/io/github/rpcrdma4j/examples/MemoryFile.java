package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.store.AttributeChanges;
import io.github.rpcrdma4j.nfs.store.Caller;
import io.github.rpcrdma4j.nfs.store.Creation;
import io.github.rpcrdma4j.nfs.store.Failure;
import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.store.Time;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A file of a {@link MemoryStore}, which guards it. */
final class MemoryFile {
    /** A name of a file in a directory. */
    record Entry(long cookie, MemoryFile file) {}

    final FileId id;
    final long number;
    final FileType type;
    final Time born = Time.now();

    /** The names of a directory, in the order in which they were made. */
    final Map<FileName, Entry> names = new LinkedHashMap<>();

    long lastCookie;

    /** The data of a file, or the text of a link; longer than the size. */
    byte[] bytes = {};

    int size;
    Creation how;
    int links;
    int mode;
    int uid;
    int gid;
    Time accessed = born;
    Time modified = born;
    Time changed = born;

    MemoryFile(FileId id, long number, FileType type, int mode, Caller owner) {
        this.id = id;
        this.number = number;
        this.type = type;
        this.mode = mode;
        if (owner instanceof Caller.User user) {
            uid = user.uid();
            gid = user.gid();
        }
    }

    boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    void link(FileName name, MemoryFile file) {
        names.put(name, new Entry(++lastCookie, file));
        file.links++;
        file.changed = Time.now();
        touch();
    }

    void unlink(FileName name) {
        var file = names.remove(name).file;
        file.links--;
        file.changed = Time.now();
        touch();
    }

    void resize(long to) throws StoreException {
        if (to > Integer.MAX_VALUE / 2) {
            throw new StoreException(Failure.FBIG);
        }
        if (to > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(to, 2L * bytes.length));
        } else if (to < size) {
            Arrays.fill(bytes, (int) to, size, (byte) 0);
        }
        size = (int) to;
        touch();
    }

    private void touch() {
        modified = Time.now();
        changed = modified;
    }

    void set(AttributeChanges changes) throws StoreException {
        if (changes.size().isPresent()) {
            resize(changes.size().getAsLong());
        }
        changed = Time.now();
        mode = changes.mode().orElse(mode);
        uid = changes.uid().orElse(uid);
        gid = changes.gid().orElse(gid);
        accessed = changes.accessed().after(accessed, changed);
        modified = changes.modified().after(modified, changed);
    }

    FileStatus status(long fileSystem) {
        return new FileStatus(
                type,
                mode,
                links,
                uid,
                gid,
                size,
                bytes.length,
                0,
                0,
                fileSystem,
                number,
                number,
                accessed,
                modified,
                changed,
                Optional.of(born));
    }
}
