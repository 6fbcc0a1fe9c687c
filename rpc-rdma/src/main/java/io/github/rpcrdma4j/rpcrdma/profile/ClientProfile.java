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

/**
 * How one connection of a client is spoken on. What a method does where a profile says nothing is
 * what RFC 8166 says.
 */
// What it is made of is for the modules of this project.
@SuppressWarnings("exports")
public interface ClientProfile {
    /** The version of RPC-over-RDMA that is spoken, once the connection is open. */
    default int version() {
        return 1;
    }

    /**
     * Finds out how the server is spoken to, before the user's first call. Called once, by the
     * thread that connects, without the lock of the connection.
     *
     * @return by what the server is to be spoken to on a new connection; empty: by this, on this
     *     one
     * @throws RpcException if the server cannot be spoken to
     */
    default Optional<WireProfile> open() throws RpcException, InterruptedException {
        return Optional.empty();
    }

    /**
     * Calls of the server are for that responder from now on. Called at most once, when the
     * connection is open, before a call can come; the lock of the connection is held.
     */
    default void serve(Responder responder) {}

    /** One connection of a client, for its profile. */
    interface Setup extends WireProfile.Setup {
        /** The address of the server. */
        InetSocketAddress server();

        /** The calls of this side, guarded by the lock of the connection. */
        Requester requester();

        /** Whether calls of the server will be served. */
        boolean isServing();

        /**
         * Handles what arrives until something has come to pass.
         *
         * @param wanted asked with the lock of the connection held
         * @param nanos how long to wait at the most
         * @return whether it has
         */
        boolean await(BooleanSupplier wanted, long nanos) throws InterruptedException;

        /**
         * Makes a call of the profile's own, with the protection that the user gave, within the
         * time for setting up.
         */
        RpcReply call(RpcCall call) throws RpcException, InterruptedException;

        /** What holds for calls that are made from now on, in both directions. */
        void agree(ConnectionParameters parameters, CallPlanner layout);
    }
}
