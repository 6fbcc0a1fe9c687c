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
 * The wire profile of one connection of a server. The default methods behave as RFC 8166 says. All
 * methods except {@link #program} are called with the lock of the connection held.
 */
// Only modules of this project can use all types of the methods.
@SuppressWarnings("exports")
public interface ServerProfile {
    /** Returns a program of the profile itself, which is served on this connection only. */
    default Optional<RpcProgram> program() {
        return Optional.empty();
    }

    /** Begins the connection. The responder exists, and no message has arrived. */
    default void begin() {}

    /** Sets the requester of calls to the client. It is called at most once. */
    default void callBack(Requester requester) {}

    /** Returns the planner of calls to the client. */
    default CallPlanner planner() {
        return CallPlanner.RFC_8166;
    }

    /**
     * Checks whether the client has left an exchange unfinished for too long.
     *
     * @param now the time in nanoseconds of any origin
     * @param nanos how long the client has, in nanoseconds
     */
    default void expire(long now, long nanos) {}

    /** The view of a profile on one connection of a server. */
    interface Setup extends WireProfile.Setup {
        /** Returns the responder. It exists from {@link ServerProfile#begin} on. */
        Responder responder();

        /** Returns the counters of calls to the client. */
        Counters reverseCounters();

        /** Returns the security flavors that the programs of the server accept. */
        Set<SecurityFlavor> flavors();

        /** Returns whether a call to the client has this XID. */
        boolean callsWith(int xid);

        /**
         * Sets the parameters from now on, in both directions. The lock of the connection is held.
         */
        void agree(ConnectionParameters parameters);
    }
}
