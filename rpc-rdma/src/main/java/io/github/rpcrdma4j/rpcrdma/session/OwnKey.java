package io.github.rpcrdma4j.rpcrdma.session;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A secret by which a server knows the connections that it makes to itself. A client puts it behind
 * its private data, where RFC 8797 lets other data be (section 5.2). Immutable.
 */
public final class OwnKey {
    /** The key of all clients but the servers themselves. No server knows it. */
    public static final OwnKey NONE = new OwnKey(new byte[0]);

    private static final int BYTES = 16;

    private final byte[] key;

    private OwnKey(byte[] key) {
        this.key = key;
    }

    /** Returns a key that nobody can guess. */
    static OwnKey random() {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        return new OwnKey(key);
    }

    /** Returns private data with this key. */
    byte[] behind(byte[] privateData) {
        byte[] both = Arrays.copyOf(privateData, privateData.length + key.length);
        System.arraycopy(key, 0, both, privateData.length, key.length);
        return both;
    }

    /** Returns whether private data has this key. */
    boolean isBehind(byte[] privateData) {
        int start = privateData.length - key.length;
        return key.length > 0
                && start >= 0
                && MessageDigest.isEqual(
                        key, Arrays.copyOfRange(privateData, start, privateData.length));
    }
}
