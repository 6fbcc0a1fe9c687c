package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Names clients. A name must be that of no other client, in any container of any host, because a
 * server that hears it with another verifier drops the state of the first one (RFC 8881, Section
 * 18.35.4). So it is random. Nothing could be reclaimed by a name that outlives its process: no
 * open does.
 *
 * <p>Tests: {@code FirstSessionTest}.
 */
final class ClientName {
    private static final int RANDOM_BYTES = 16;

    /** So many names are tried. */
    private static final int ATTEMPTS = 3;

    private ClientName() {}

    /** What a client does under its name. */
    interface Use<T> {
        /**
         * Uses a name.
         *
         * @throws SessionRefused among others, with CLID_INUSE if another client has the name
         */
        T of(ClientOwner name) throws IOException, InterruptedException;
    }

    /**
     * Uses a random name, and another one if the server says that it knows the one before.
     *
     * @throws IOException of the last attempt
     */
    static <T> T free(Use<T> use) throws IOException, InterruptedException {
        for (int left = ATTEMPTS - 1; true; left--) {
            try {
                return use.of(random());
            } catch (SessionRefused refused) {
                if (refused.status() != Nfs4Status.CLID_INUSE || left == 0) {
                    throw refused;
                }
            }
        }
    }

    static ClientOwner random() {
        var random = new SecureRandom();
        var bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        var name = "rpcrdma4j " + HexFormat.of().formatHex(bytes);
        return new ClientOwner(
                random.nextLong(), OpaqueName.of(name.getBytes(StandardCharsets.UTF_8)));
    }
}
