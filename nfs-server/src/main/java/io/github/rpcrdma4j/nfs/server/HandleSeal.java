package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * File handles that nobody else can make.
 *
 * <pre>
 *   1 | export(32) | file number(64) | birth(32) | HMAC-SHA-256 of all that, 16 octets
 * </pre>
 *
 * Thread-safe.
 */
final class HandleSeal {
    private static final byte VERSION = 1;
    private static final int BODY_BYTES = 1 + Integer.BYTES + Long.BYTES + Integer.BYTES;
    private static final int SEAL_BYTES = 16;
    private static final String ALGORITHM = "HmacSHA256";

    /** What a handle says. */
    record Opened(int export, FileId file) {}

    private final ThreadLocal<Mac> macs;

    /**
     * @param key secret; with the same key handles live on after a restart
     */
    HandleSeal(byte[] key) {
        var secret = new SecretKeySpec(key, ALGORITHM);
        macs = ThreadLocal.withInitial(() -> mac(secret));
    }

    private static Mac mac(SecretKeySpec secret) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError("every Java has " + ALGORITHM, impossible);
        }
    }

    FileHandle seal(int export, FileId file) {
        var octets = ByteBuffer.allocate(BODY_BYTES + SEAL_BYTES);
        octets.put(VERSION).putInt(export).putLong(file.number()).putInt(file.birth());
        octets.put(tag(octets.array()), 0, SEAL_BYTES);
        return new FileHandle(octets.array());
    }

    /** What the handle says; empty if it was not sealed with this key. */
    Optional<Opened> open(FileHandle handle) {
        byte[] octets = handle.octets();
        if (octets.length != BODY_BYTES + SEAL_BYTES
                || octets[0] != VERSION
                || !MessageDigest.isEqual(
                        Arrays.copyOf(tag(octets), SEAL_BYTES),
                        Arrays.copyOfRange(octets, BODY_BYTES, octets.length))) {
            return Optional.empty();
        }
        var body = ByteBuffer.wrap(octets, 1, BODY_BYTES - 1);
        return Optional.of(new Opened(body.getInt(), new FileId(body.getLong(), body.getInt())));
    }

    private byte[] tag(byte[] octets) {
        var mac = macs.get();
        mac.update(octets, 0, BODY_BYTES);
        return mac.doFinal();
    }
}
