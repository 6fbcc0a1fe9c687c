package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.v2.connection.Version2Receiver;
import java.util.Optional;

/** Gives tests the receiver of version 2 messages of a connection. */
public final class Receivers {
    private Receivers() {}

    /** Returns the receiver of a client; empty unless it speaks version 2. */
    public static Optional<Version2Receiver> of(ClientProfile client) {
        return client instanceof Version2Client speaking && speaking.version() == 2
                ? Optional.of(speaking.receiver())
                : Optional.empty();
    }

    /** Returns the receiver of a server; empty unless its client began with version 2. */
    public static Optional<Version2Receiver> of(ServerProfile server) {
        return server instanceof Version2Server speaking
                ? Optional.ofNullable(speaking.receiver())
                : Optional.empty();
    }
}
