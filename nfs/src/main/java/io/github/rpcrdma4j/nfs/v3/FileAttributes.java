package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Optional;

/**
 * The attributes of a file: {@code fattr3} (RFC 1813, Section 2.6).
 *
 * <pre>
 *   type mode nlink uid gid(32 each) | size used rdev fsid fileid(64 each)
 *   | atime mtime ctime(64 each)
 * </pre>
 *
 * @param mode the permission bits
 * @param links the number of hard links
 * @param size in bytes, unsigned
 * @param used the storage that the file takes, in bytes, unsigned
 * @param device for devices, the major number in the upper and the minor number in the lower 32
 *     bits
 */
public record FileAttributes(
        FileType type,
        int mode,
        int links,
        int uid,
        int gid,
        long size,
        long used,
        long device,
        long fileSystemId,
        long fileId,
        Timestamp accessed,
        Timestamp modified,
        Timestamp changed) {
    /** The length on the wire, in bytes. */
    public static final int BYTES = 84;

    static FileAttributes decode(XdrReader in) throws XdrException {
        return new FileAttributes(
                FileType.of(in.uint32()),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint64(),
                in.uint64(),
                in.uint64(),
                in.uint64(),
                in.uint64(),
                Timestamp.decode(in),
                Timestamp.decode(in),
                Timestamp.decode(in));
    }

    void encode(XdrWriter out) {
        out.uint32(type.number()).uint32(mode).uint32(links).uint32(uid).uint32(gid);
        out.uint64(size).uint64(used).uint64(device).uint64(fileSystemId).uint64(fileId);
        accessed.encode(out);
        modified.encode(out);
        changed.encode(out);
    }

    /** Decodes {@code post_op_attr}. */
    public static Optional<FileAttributes> decodeOptional(XdrReader in) throws XdrException {
        return in.bool() ? Optional.of(decode(in)) : Optional.empty();
    }

    /** Encodes {@code post_op_attr}. */
    public static void encodeOptional(XdrWriter out, Optional<FileAttributes> attributes) {
        out.bool(attributes.isPresent());
        if (attributes.isPresent()) {
            attributes.get().encode(out);
        }
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }
}
