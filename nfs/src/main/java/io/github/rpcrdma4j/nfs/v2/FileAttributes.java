package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The attributes of a file: {@code fattr} (RFC 1094, Section 2.3.5).
 *
 * <pre>
 *   type mode nlink uid gid size blocksize rdev blocks fsid fileid(32 each)
 *   | atime mtime ctime(64 each)
 * </pre>
 *
 * @param mode the permission bits, and the type as in {@code st_mode}
 * @param links the number of hard links
 * @param size in bytes, unsigned
 * @param blockSize in bytes
 * @param device the number of a device; {@link #FIFO_DEVICE} for a FIFO
 * @param blocks the storage that the file takes; servers count in units of 512 bytes
 */
public record FileAttributes(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        int size,
        int blockSize,
        int device,
        int blocks,
        int fileSystemId,
        int fileId,
        Timestamp accessed,
        Timestamp modified,
        Timestamp changed) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 68;

    /** The device number by which a character device is a FIFO, as at other servers. */
    public static final int FIFO_DEVICE = -1;

    /** Decodes attributes. */
    public static FileAttributes decode(XdrReader in) throws XdrException {
        return new FileAttributes(
                FileType.of(in.uint32()),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                Timestamp.decode(in),
                Timestamp.decode(in),
                Timestamp.decode(in));
    }

    /** Encodes the attributes, and returns the writer. */
    public XdrWriter encode(XdrWriter out) {
        out.uint32(type.number()).uint32(mode).uint32(links).uint32(uid).uint32(gid);
        out.uint32(size).uint32(blockSize).uint32(device).uint32(blocks);
        out.uint32(fileSystemId).uint32(fileId);
        accessed.encode(out);
        modified.encode(out);
        return changed.encode(out);
    }
}
