package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.server.store.StoreException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The entries of an open directory, some at a time.
 *
 * <p>{@code struct linux_dirent64}:
 *
 * <pre>  0 inode(64)  8 position of the next entry(64)  16 length(16)  18 type(8)  19 name, NUL
 * </pre>
 */
final class DirectoryEntries {
    /** Some hundred entries: more than most replies hold, and little to read in vain. */
    private static final long BUFFER_BYTES = 16 << 10;

    private static final int NAME_AT = 19;

    private final MemorySegment buffer;
    private int bytes;
    private int following;
    private int at;

    /**
     * @param arena whose memory holds the entries
     */
    DirectoryEntries(Arena arena) {
        buffer = arena.allocate(BUFFER_BYTES, Long.BYTES);
    }

    /**
     * Reads the next entries.
     *
     * @return false if there are no more
     */
    boolean read(Scratch scratch, int directory) throws StoreException {
        bytes = Errno.check(Kernel.getdents(scratch, directory, buffer));
        following = 0;
        return bytes > 0;
    }

    /** Goes to the next of the entries that were read; false if there is none. */
    boolean next() {
        at = following;
        if (at >= bytes) {
            return false;
        }
        following = at + Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT, at + 16));
        return true;
    }

    long inode() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    /** Where the directory goes on behind the entry. */
    long position() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES);
    }

    FileName name() {
        int end = at + NAME_AT;
        while (buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return new FileName(
                buffer.asSlice(at + NAME_AT, end - at - NAME_AT).toArray(ValueLayout.JAVA_BYTE));
    }
}
