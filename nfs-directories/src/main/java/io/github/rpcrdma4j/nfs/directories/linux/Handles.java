package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Kernel;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Statx;
import io.github.rpcrdma4j.nfs.store.FileId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Converts between the file handles of the kernel and the file ids of this store.
 *
 * <pre>
 *   key of the file system(64) | handle type(8) | handle, at most 32 bytes
 * </pre>
 *
 * If the file system has no handles, the type is {@link #INODE}. The handle then consists of the
 * inode number and the time of birth: seconds(64) nanoseconds(32).
 */
final class Handles {
    /** The longest handle of the kernel that fits into an id, in bytes. */
    static final int KERNEL_MAX = 32;

    /** A type that no handle of the kernel has: FILEID_INVALID. */
    static final int INODE = 0xff;

    private static final int HEAD_BYTES = Long.BYTES + 1;
    private static final int HANDLE_BYTES_AT = Scratch.HANDLE + 8;

    private Handles() {}

    /**
     * Returns the id of an open file. The scratch must hold its attributes.
     *
     * @return an id of type {@link #INODE} if the kernel has no handle that fits
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
        id.putLong(Statx.birthSeconds(scratch)).putInt(Statx.birthNanos(scratch));
        return new FileId(id.array());
    }

    /** Returns whether these bytes can be an id. */
    static boolean isWellFormed(FileId id) {
        int length = id.bytes().length;
        return length > HEAD_BYTES && length <= HEAD_BYTES + KERNEL_MAX;
    }

    /** Returns the key of the file's file system. */
    static long key(FileId id) {
        return ByteBuffer.wrap(id.bytes()).getLong();
    }

    static boolean isOfKernel(FileId id) {
        return Byte.toUnsignedInt(id.bytes()[Long.BYTES]) != INODE;
    }

    /** Writes the kernel's handle to the scratch for {@link Kernel#openByHandle}. */
    static void put(Scratch scratch, FileId id) {
        byte[] bytes = id.bytes();
        int length = bytes.length - HEAD_BYTES;
        scratch.word(Scratch.HANDLE, length);
        scratch.word(Scratch.HANDLE + 4, Byte.toUnsignedInt(bytes[Long.BYTES]));
        MemorySegment.copy(
                bytes, HEAD_BYTES, scratch.memory, ValueLayout.JAVA_BYTE, HANDLE_BYTES_AT, length);
    }
}
