package io.github.rpcrdma4j.nfs.directories.nio;

import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The identity of a file within its store, independent of its names.
 *
 * <pre>number(64) | birth(32)</pre>
 *
 * @param number the inode number or a substitute
 * @param birth derived from the time of birth, so that a file with a reused number is distinct; 0
 *     if the file system does not record it
 */
record Inode(long number, int birth) {
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    FileId id() {
        return new FileId(ByteBuffer.allocate(BYTES).putLong(number).putInt(birth).array());
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(number, birth);
    }

    /** Returns the identity in a file id; empty if a store of another kind made the id. */
    static Optional<Inode> of(FileId id) {
        if (id.bytes().length != BYTES) {
            return Optional.empty();
        }
        var bytes = ByteBuffer.wrap(id.bytes());
        return Optional.of(new Inode(bytes.getLong(), bytes.getInt()));
    }
}
