package io.github.rpcrdma4j.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A reader of the entries of an open directory, which fetches one buffer of entries per system
 * call. Not thread-safe.
 *
 * <p>{@code struct linux_dirent64}:
 *
 * <pre>  0 inode(64)  8 position of the next entry(64)  16 length(16)  18 type(8)  19 name, NUL
 * </pre>
 */
public final class DirectoryEntries {
    /** Holds some hundred entries: more than most replies do, at little cost if fewer are used. */
    private static final long BUFFER_BYTES = 16 << 10;

    private static final int NAME_AT = 19;

    private final MemorySegment buffer;
    private int bytes;
    private int following;
    private int at;

    /**
     * @param arena provides the memory of the entries
     */
    public DirectoryEntries(Arena arena) {
        buffer = arena.allocate(BUFFER_BYTES, Long.BYTES);
    }

    /**
     * Reads the next entries.
     *
     * @return positive if entries were read, 0 at the end of the directory, or a negative error
     *     number
     */
    public int read(Scratch scratch, int directory) {
        int result = Kernel.getdents(scratch, directory, buffer);
        bytes = Math.max(result, 0);
        following = 0;
        return result;
    }

    /** Moves to the next of the entries that were read, and returns false if none is left. */
    public boolean next() {
        at = following;
        if (at >= bytes) {
            return false;
        }
        following = at + Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT, at + 16));
        return true;
    }

    public long inode() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    /** Returns the position of the entry after this one. */
    public long position() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES);
    }

    /** Returns a view of the name, valid until the next {@link #read}. */
    public MemorySegment name() {
        int end = at + NAME_AT;
        while (buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return buffer.asSlice(at + NAME_AT, end - at - NAME_AT);
    }
}
