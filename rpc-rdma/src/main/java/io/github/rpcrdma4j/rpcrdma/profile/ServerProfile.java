package io.github.rpcrdma4j.rpcrdma.profile;

import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import java.util.Optional;
import java.util.Set;

/**
 * How one connection of a server is spoken on. What a method does where a profile says nothing is
 * what RFC 8166 says. But for {@link #program} the methods are called with the lock of the
 * connection held.
 */
// What it is made of is for the modules of this project.
@SuppressWarnings("exports")
public interface ServerProfile {
    /** A program of its own that is served beside those of the server, on this connection alone. */
    default Optional<RpcProgram> program() {
        return Optional.empty();
    }

    /** The responder is there, and nothing has arrived. */
    default void begin() {}

    /** Calls back to the client are made by that requester from now on. Called at most once. */
    default void callBack(Requester requester) {}

    /** How calls back to the client are laid out. */
    default CallPlanner layout() {
        return CallPlanner.RFC_8166;
    }

    /**
     * Looks after a client that does not go on with what it has begun.
     *
     * @param now in nanoseconds of any origin
     * @param nanos how long it has
     */
    default void expire(long now, long nanos) {}

    /** One connection of a server, for its profile. */
    interface Setup extends WireProfile.Setup {
        /** There from {@link ServerProfile#begin} on. */
        Responder responder();

        /** Of calls back to the client. */
        Counters reverseCounters();

        /** The flavors that the programs of the server take. */
        Set<SecurityFlavor> flavors();

        /** Whether a call back to the client has that XID. */
        boolean callsWith(int xid);

        /** What holds from now on, in both directions; the lock of the connection is held. */
        void agree(ConnectionParameters parameters);
    }
}
