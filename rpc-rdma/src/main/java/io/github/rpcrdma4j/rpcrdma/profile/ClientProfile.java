package io.github.rpcrdma4j.rpcrdma.profile;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The wire profile of one connection of a client. The default methods behave as RFC 8166 says. */
// Only modules of this project can use all types of the methods.
@SuppressWarnings("exports")
public interface ClientProfile {
    /** Returns the version of RPC-over-RDMA on the open connection. */
    default int version() {
        return 1;
    }

    /**
     * Negotiates the profile with the server, before the user's first call. It is called once, by
     * the connecting thread, without the lock of the connection.
     *
     * @return the profile to use on a new connection to the server; empty to keep this profile and
     *     connection
     * @throws RpcException if no profile fits the server
     */
    default Optional<WireProfile> open() throws RpcException, InterruptedException {
        return Optional.empty();
    }

    /**
     * Sets the responder for calls of the server. It is called at most once, when the connection is
     * open and before a call can arrive. The lock of the connection is held.
     */
    default void serve(Responder responder) {}

    /** The view of a profile on one connection of a client. */
    interface Setup extends WireProfile.Setup {
        /** Returns the address of the server. */
        InetSocketAddress server();

        /** Returns the requester of this side, which the lock of the connection guards. */
        Requester requester();

        /** Returns whether this client will serve calls of the server. */
        boolean isServing();

        /**
         * Handles arriving messages until a condition holds.
         *
         * @param wanted the condition, evaluated with the lock of the connection held
         * @param nanos the longest time to wait, in nanoseconds
         * @return whether the condition holds
         */
        boolean await(BooleanSupplier wanted, long nanos) throws InterruptedException;

        /**
         * Makes a call of the profile itself, with the user's protection, within the setup timeout.
         */
        RpcReply call(RpcCall call) throws RpcException, InterruptedException;

        /** Sets the parameters and the call planner for later calls, in both directions. */
        void agree(ConnectionParameters parameters, CallPlanner planner);
    }
}
