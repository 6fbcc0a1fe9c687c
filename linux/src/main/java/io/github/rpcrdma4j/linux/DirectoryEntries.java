package io.github.rpcrdma4j.linux;

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
public final class DirectoryEntries {
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
    public DirectoryEntries(Arena arena) {
        buffer = arena.allocate(BUFFER_BYTES, Long.BYTES);
    }

    /**
     * Reads the next entries.
     *
     * @return more than 0 if there are some, 0 if there are no more, or an error
     */
    public int read(Scratch scratch, int directory) {
        int result = Kernel.getdents(scratch, directory, buffer);
        bytes = Math.max(result, 0);
        following = 0;
        return result;
    }

    /** Goes to the next of the entries that were read; false if there is none. */
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

    /** Where the directory goes on behind the entry. */
    public long position() {
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES);
    }

    /** The name, until the next entries are read. */
    public MemorySegment name() {
        int end = at + NAME_AT;
        while (buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        return buffer.asSlice(at + NAME_AT, end - at - NAME_AT);
    }
}
