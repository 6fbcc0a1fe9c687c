package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import java.util.Optional;

/** Lets tests look at who takes messages of version 2. */
public final class Receptions {
    private Receptions() {}

    /** Empty unless version 2 was agreed on. */
    public static Optional<Version2Receiver> of(ClientProfile client) {
        return client instanceof Version2Client speaking && speaking.version() == 2
                ? Optional.of(speaking.reception())
                : Optional.empty();
    }

    /** Empty unless the client began with version 2. */
    public static Optional<Version2Receiver> of(ServerProfile server) {
        return server instanceof Version2Server speaking
                ? Optional.ofNullable(speaking.reception())
                : Optional.empty();
    }
}
