package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The XIDs that the calls of one host have at the server behind a gateway. The server sees all
 * clients at one address, and recognizes a repeated call by its address and its XID. So the XIDs of
 * each host are changed in a way that no other host knows, and that stays the same: a client that
 * sends a call again, also after a restart of the gateway, meets the reply to its own call and to
 * no other.
 *
 * <p>A call with RPCSEC_GSS keeps its XID, because its verifier signs it (RFC 2203, Section 5.3.1).
 *
 * @param mask the bits in which the XIDs differ
 */
record UpstreamXids(int mask) {
    private static final String ALGORITHM = "HmacSHA256";

    /** The XIDs of calls that the server makes, which keep theirs. */
    static final UpstreamXids SAME = new UpstreamXids(0);

    /** Makes the XIDs of each host. */
    interface OfHosts {
        /** Returns the XIDs of a client, which depend on its address and not on its port. */
        UpstreamXids of(InetSocketAddress client);
    }

    /**
     * Returns the XIDs of each host.
     *
     * @param key a secret, which is copied
     */
    static OfHosts keyed(byte[] key) {
        var secret = new SecretKeySpec(key, ALGORITHM);
        return client -> {
            try {
                var mac = Mac.getInstance(ALGORITHM);
                mac.init(secret);
                byte[] host = client.getHostString().getBytes(StandardCharsets.UTF_8);
                return new UpstreamXids(ByteBuffer.wrap(mac.doFinal(host)).getInt());
            } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
                throw new AssertionError(impossible);
            }
        };
    }

    /** Returns the XID that a call has at the server. */
    int of(CallHeader call) {
        return call.credential().flavor() == GssFlavor.NUMBER ? call.xid() : call.xid() ^ mask;
    }
}
