package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Names clients. A name must be that of no other client, in any container of any host, because a
 * server that hears it with another verifier drops the state of the first one (RFC 8881, Section
 * 18.35.4). So it is random. Nothing could be reclaimed by a name that outlives its process: no
 * open does.
 */
final class ClientName {
    private static final int RANDOM_BYTES = 16;

    private ClientName() {}

    static ClientOwner random() {
        var random = new SecureRandom();
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        var name = "rpcrdma4j " + HexFormat.of().formatHex(bytes);
        return new ClientOwner(
                random.nextLong(), OpaqueName.of(name.getBytes(StandardCharsets.UTF_8)));
    }
}
