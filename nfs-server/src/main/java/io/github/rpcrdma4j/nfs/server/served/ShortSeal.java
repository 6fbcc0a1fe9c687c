package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.server.served.HandleSeal.CheckedHandle;
import io.github.rpcrdma4j.nfs.store.FileId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Makes and checks the file handles of NFS version 2, which all have 32 bytes. They hold how a file
 * id differs from the id of the root of its export: ids of one file system have many bytes in
 * common. The rest of the handle is the seal, at least 64 bits, which clients can only guess call
 * by call.
 *
 * <pre>
 *   64 + length of the id(8) | export(32) | a bit for each byte of the id that differs
 *   | the bytes that differ | the first bytes of a seal of the first five bytes and the id
 * </pre>
 *
 * No handle of {@link HandleSeal} begins like these. Thread-safe.
 */
final class ShortSeal {
    static final int BYTES = 32;

    /** The longest id of which handles are made, in bytes. */
    static final int ID_MAX = 29;

    /** The shortest seal, in bytes. */
    static final int SEAL_MIN = 8;

    private static final int FIRST = 64;
    private static final int HEAD_BYTES = 1 + Integer.BYTES;

    private final HandleSeal seal;

    /** The bytes of handles that are known to be valid. */
    private final RecentlyUsed<CheckedHandle.Ours, byte[]> sealed =
            new RecentlyUsed<>(HandleSeal.KNOWN_MAX);

    /**
     * @param seal has the secret; handles stay valid after a restart as its own do
     */
    ShortSeal(HandleSeal seal) {
        this.seal = seal;
    }

    /**
     * Returns the handle of a file.
     *
     * @param root the id of the root of the export
     * @return empty if the id differs from that of the root in too many bytes
     */
    Optional<byte[]> seal(int export, FileId root, FileId file) {
        var checked = new CheckedHandle.Ours(export, file);
        byte[] bytes = sealed.find(checked);
        if (bytes == null) {
            bytes = make(checked, root);
            if (bytes == null) {
                return Optional.empty();
            }
            sealed.put(checked, bytes);
        }
        return Optional.of(bytes.clone());
    }

    /**
     * Checks the seal of a handle and decodes its content.
     *
     * @param roots returns the id of the root of an export; null if there is no such export
     */
    CheckedHandle open(byte[] handle, IntFunction<FileId> roots) {
        var in = ByteBuffer.wrap(handle);
        int length = in.get() - FIRST;
        int export = in.getInt();
        var root = roots.apply(export);
        if (length < 0 || length > ID_MAX || root == null) {
            return new CheckedHandle.Forged();
        }
        byte[] differs = new byte[mapBytes(length)];
        in.get(differs);
        byte[] id = Arrays.copyOf(root.bytes(), length);
        for (int i = 0; i < length; i++) {
            if ((differs[i / Byte.SIZE] & bit(i)) != 0) {
                if (in.remaining() <= SEAL_MIN) {
                    return new CheckedHandle.Forged();
                }
                id[i] = in.get();
            }
        }
        var checked = new CheckedHandle.Ours(export, new FileId(id));
        byte[] known = sealed.find(checked);
        // A handle enters the cache only after its seal was checked. A file has one handle, so a
        // handle with other bits or bytes is not that of the id.
        byte[] good = known == null ? make(checked, root) : known;
        if (good == null || !MessageDigest.isEqual(good, handle)) {
            return new CheckedHandle.Forged();
        }
        if (known == null) {
            sealed.put(checked, good);
        }
        return checked;
    }

    /** Returns the handle; null if it would have too short a seal. */
    private byte[] make(CheckedHandle.Ours checked, FileId root) {
        byte[] id = checked.file().bytes();
        if (id.length > ID_MAX) {
            return null;
        }
        byte[] base = Arrays.copyOf(root.bytes(), id.length);
        byte[] differs = new byte[mapBytes(id.length)];
        var bytes = ByteBuffer.allocate(BYTES + ID_MAX);
        bytes.put((byte) (FIRST + id.length)).putInt(checked.export());
        bytes.position(HEAD_BYTES + differs.length);
        for (int i = 0; i < id.length; i++) {
            if (id[i] != base[i]) {
                differs[i / Byte.SIZE] |= (byte) bit(i);
                bytes.put(id[i]);
            }
        }
        int end = bytes.position();
        if (end > BYTES - SEAL_MIN) {
            return null;
        }
        bytes.put(HEAD_BYTES, differs);
        byte[] message =
                ByteBuffer.allocate(HEAD_BYTES + id.length)
                        .put(bytes.array(), 0, HEAD_BYTES)
                        .put(id)
                        .array();
        bytes.put(seal.tag(message, message.length), 0, BYTES - end);
        return Arrays.copyOf(bytes.array(), BYTES);
    }

    private static int mapBytes(int length) {
        return (length + Byte.SIZE - 1) / Byte.SIZE;
    }

    private static int bit(int index) {
        return 1 << index % Byte.SIZE;
    }
}
