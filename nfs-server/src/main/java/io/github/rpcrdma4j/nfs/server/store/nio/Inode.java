package io.github.rpcrdma4j.nfs.server.store.nio;

import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What tells a file from all others of its store, whatever it is called.
 *
 * <pre>number(64) | birth(32)</pre>
 *
 * @param number the inode number, or what stands for it
 * @param birth when it was made, so that a number that is used again is another file; 0 where the
 *     file system does not tell
 */
record Inode(long number, int birth) {
    private static final int BYTES = Long.BYTES + Integer.BYTES;

    FileId id() {
        return new FileId(ByteBuffer.allocate(BYTES).putLong(number).putInt(birth).array());
    }

    /** Empty for the id of another kind of store. */
    static Optional<Inode> of(FileId id) {
        if (id.bytes().length != BYTES) {
            return Optional.empty();
        }
        var bytes = ByteBuffer.wrap(id.bytes());
        return Optional.of(new Inode(bytes.getLong(), bytes.getInt()));
    }
}
