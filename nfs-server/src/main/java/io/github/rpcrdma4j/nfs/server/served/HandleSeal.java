package io.github.rpcrdma4j.nfs.server.served;

import io.github.rpcrdma4j.nfs.store.FileId;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes and checks file handles that are sealed with a secret key, so that clients cannot forge
 * them.
 *
 * <pre>
 *   2 | export(32) | file id, 0 to 42 bytes | HMAC-SHA-256 of all that, 16 bytes
 * </pre>
 *
 * Version 1 identified files by inode numbers alone, in 33 bytes. Thread-safe.
 */
public final class HandleSeal {
    private static final byte VERSION = 2;
    private static final int HEAD_BYTES = 1 + Integer.BYTES;
    private static final int SEAL_BYTES = 16;
    private static final int BYTES_MIN = HEAD_BYTES + SEAL_BYTES;
    private static final int BYTES_MAX = BYTES_MIN + FileId.BYTES_MAX;
    private static final byte OLD_VERSION = 1;
    private static final int OLD_BYTES = 33;
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MACS_MAX = 16;

    /**
     * The number of handles in the cache. Sealing a handle takes as long as reading the attributes
     * of a file.
     */
    static final int KNOWN_MAX = 32_768;

    /** The result of checking a handle. */
    public sealed interface CheckedHandle {
        /** A valid handle of this server. */
        record Ours(int export, FileId file) implements CheckedHandle {}

        /** A handle of an older version, whose file cannot be found any more. */
        record Outdated() implements CheckedHandle {}

        /** A handle that this server did not make. */
        record Forged() implements CheckedHandle {}
    }

    private final SecretKeySpec secret;

    /**
     * Free instances, each for one thread at a time. There is no lock, because threads of a store
     * seal handles too and must not have to wake other threads.
     */
    private final AtomicReferenceArray<Mac> macs = new AtomicReferenceArray<>(MACS_MAX);

    /** The bytes of handles that are known to be valid. */
    private final RecentlyUsed<CheckedHandle.Ours, byte[]> sealed = new RecentlyUsed<>(KNOWN_MAX);

    /**
     * @param key secret; with an unchanged key, handles stay valid after a restart
     */
    public HandleSeal(byte[] key) {
        secret = new SecretKeySpec(key, ALGORITHM);
    }

    public FileHandle seal(int export, FileId file) {
        var checked = new CheckedHandle.Ours(export, file);
        byte[] bytes = sealed.find(checked);
        if (bytes == null) {
            bytes = make(checked);
            sealed.put(checked, bytes);
        }
        return new FileHandle(bytes);
    }

    /** Checks the seal of a handle and decodes its content. */
    public CheckedHandle open(FileHandle handle) {
        byte[] bytes = handle.bytes();
        if (bytes.length == OLD_BYTES && bytes[0] == OLD_VERSION) {
            return new CheckedHandle.Outdated();
        }
        if (bytes.length < BYTES_MIN || bytes.length > BYTES_MAX || bytes[0] != VERSION) {
            return new CheckedHandle.Forged();
        }
        int export = ByteBuffer.wrap(bytes).getInt(1);
        int end = bytes.length - SEAL_BYTES;
        var checked =
                new CheckedHandle.Ours(
                        export, new FileId(Arrays.copyOfRange(bytes, HEAD_BYTES, end)));
        byte[] known = sealed.find(checked);
        // A handle enters the cache only after its seal was checked.
        byte[] good = known == null ? make(checked) : known;
        if (!MessageDigest.isEqual(good, bytes)) {
            return new CheckedHandle.Forged();
        }
        if (known == null) {
            sealed.put(checked, good);
        }
        return checked;
    }

    private byte[] make(CheckedHandle.Ours checked) {
        byte[] file = checked.file.bytes();
        int body = HEAD_BYTES + file.length;
        var bytes = ByteBuffer.allocate(body + SEAL_BYTES);
        bytes.put(VERSION).putInt(checked.export).put(file);
        bytes.put(tag(bytes.array(), body), 0, SEAL_BYTES);
        return bytes.array();
    }

    /** Returns the whole seal of the first bytes of a message: 32 bytes. */
    byte[] tag(byte[] message, int length) {
        int slot = (int) Thread.currentThread().threadId() & MACS_MAX - 1;
        var free = macs.getAndSet(slot, null);
        var mac = free == null ? mac() : free;
        mac.update(message, 0, length);
        byte[] tag = mac.doFinal();
        macs.set(slot, mac);
        return tag;
    }

    private Mac mac() {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError("every Java has " + ALGORITHM, impossible);
        }
    }
}
