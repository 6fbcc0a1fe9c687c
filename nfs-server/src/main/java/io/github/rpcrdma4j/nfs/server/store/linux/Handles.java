package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.server.store.FileId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Ids of files, from the handles that the kernel gives.
 *
 * <pre>
 *   key of the file system(64) | handle type(8) | handle, at most 32 bytes
 * </pre>
 *
 * Where the file system has no handles the type is {@link #INODE} and the handle is made of the
 * inode number and the time of birth: seconds(64) nanoseconds(32).
 */
final class Handles {
    /** The longest handle of the kernel that has room in an id. */
    static final int KERNEL_MAX = 32;

    /** The type that no handle of the kernel has: FILEID_INVALID. */
    static final int INODE = 0xff;

    private static final int HEAD_BYTES = Long.BYTES + 1;
    private static final int HANDLE_BYTES_AT = Scratch.HANDLE + 8;

    private Handles() {}

    /**
     * The id of an open file whose attributes are in the scratch.
     *
     * @return an id of type {@link #INODE} if the kernel has no handle for it that fits
     */
    static FileId of(Scratch scratch, int descriptor, MountedFileSystem mounted) {
        int result = Kernel.nameToHandle(scratch, descriptor);
        int length = scratch.word(Scratch.HANDLE);
        int type = scratch.word(Scratch.HANDLE + 4);
        if (result < 0 || length > KERNEL_MAX || type < 0 || type >= INODE) {
            return ofInode(scratch, mounted);
        }
        var id = ByteBuffer.allocate(HEAD_BYTES + length);
        id.putLong(mounted.key()).put((byte) type);
        MemorySegment.copy(
                scratch.memory,
                ValueLayout.JAVA_BYTE,
                HANDLE_BYTES_AT,
                id.array(),
                HEAD_BYTES,
                length);
        return new FileId(id.array());
    }

    private static FileId ofInode(Scratch scratch, MountedFileSystem mounted) {
        var id = ByteBuffer.allocate(HEAD_BYTES + Long.BYTES + Long.BYTES + Integer.BYTES);
        id.putLong(mounted.key()).put((byte) INODE).putLong(Statx.inode(scratch));
        id.putLong(Statx.madeSeconds(scratch)).putInt(Statx.madeNanos(scratch));
        return new FileId(id.array());
    }

    /** Whether these bytes can be an id. */
    static boolean isWellFormed(FileId id) {
        int length = id.bytes().length;
        return length > HEAD_BYTES && length <= HEAD_BYTES + KERNEL_MAX;
    }

    /** The key of the file system that the file is on. */
    static long key(FileId id) {
        return ByteBuffer.wrap(id.bytes()).getLong();
    }

    static boolean isOfKernel(FileId id) {
        return Byte.toUnsignedInt(id.bytes()[Long.BYTES]) != INODE;
    }

    /** Puts the kernel's handle where {@link Kernel#openByHandle} wants it. */
    static void put(Scratch scratch, FileId id) {
        byte[] bytes = id.bytes();
        int length = bytes.length - HEAD_BYTES;
        scratch.word(Scratch.HANDLE, length);
        scratch.word(Scratch.HANDLE + 4, Byte.toUnsignedInt(bytes[Long.BYTES]));
        MemorySegment.copy(
                bytes, HEAD_BYTES, scratch.memory, ValueLayout.JAVA_BYTE, HANDLE_BYTES_AT, length);
    }
}
