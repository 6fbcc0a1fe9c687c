package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.FileHandle;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
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
    private static final int MACS_MAX = 16;

    /** How many handles it remembers; to seal one takes as long as to ask for its attributes. */
    static final int KNOWN_MAX = 32_768;

    /** What a handle says. */
    record Opened(int export, FileId file) {}

    private final SecretKeySpec secret;

    /** Free to be used, by one thread at a time. */
    private final BlockingQueue<Mac> macs = new ArrayBlockingQueue<>(MACS_MAX);

    /** The octets of handles that are known to be good. */
    private final Recent<Opened, byte[]> sealed = new Recent<>(KNOWN_MAX);

    /**
     * @param key secret; with the same key handles live on after a restart
     */
    HandleSeal(byte[] key) {
        secret = new SecretKeySpec(key, ALGORITHM);
    }

    FileHandle seal(int export, FileId file) {
        return new FileHandle(octets(new Opened(export, file)));
    }

    /** What the handle says; empty if it was not sealed with this key. */
    Optional<Opened> open(FileHandle handle) {
        byte[] octets = handle.octets();
        if (octets.length != BODY_BYTES + SEAL_BYTES || octets[0] != VERSION) {
            return Optional.empty();
        }
        var body = ByteBuffer.wrap(octets, 1, BODY_BYTES - 1);
        var opened = new Opened(body.getInt(), new FileId(body.getLong(), body.getInt()));
        byte[] known = sealed.find(opened);
        // What is not known yet is not learned before it is known to be good.
        byte[] good = known == null ? make(opened) : known;
        if (!MessageDigest.isEqual(good, octets)) {
            return Optional.empty();
        }
        if (known == null) {
            sealed.learn(opened, good);
        }
        return Optional.of(opened);
    }

    private byte[] octets(Opened opened) {
        byte[] octets = sealed.find(opened);
        if (octets == null) {
            octets = make(opened);
            sealed.learn(opened, octets);
        }
        return octets;
    }

    private byte[] make(Opened opened) {
        var octets = ByteBuffer.allocate(BODY_BYTES + SEAL_BYTES);
        var file = opened.file;
        octets.put(VERSION).putInt(opened.export).putLong(file.number()).putInt(file.birth());
        var free = macs.poll();
        var mac = free == null ? mac() : free;
        mac.update(octets.array(), 0, BODY_BYTES);
        octets.put(mac.doFinal(), 0, SEAL_BYTES);
        macs.offer(mac);
        return octets.array();
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
