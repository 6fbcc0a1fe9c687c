package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The names by which clients recognize this server on all its addresses and after a restart (RFC
 * 8881, Section 2.10.4). Two servers never have equal ones: a client would send the calls for one
 * to the other.
 *
 * @param owner {@code so_major_id}
 * @param scope {@code eir_server_scope}
 */
public record ServerIdentity(OpaqueName owner, OpaqueName scope) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int BYTES = 16;

    /**
     * Returns the names of one of the servers that have a key.
     *
     * @param key the secret of file handles
     * @param instance distinguishes the servers that have this key, such as a port
     */
    public static ServerIdentity of(byte[] key, String instance) {
        var name = name(key, instance);
        return new ServerIdentity(name, name);
    }

    private static OpaqueName name(byte[] key, String instance) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update("the name of the server ".getBytes(StandardCharsets.UTF_8));
            byte[] sum = mac.doFinal(instance.getBytes(StandardCharsets.UTF_8));
            var text = "rpcrdma4j-" + HexFormat.of().formatHex(sum, 0, BYTES);
            return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException impossible) {
            throw new AssertionError("every Java has " + ALGORITHM, impossible);
        }
    }
}
