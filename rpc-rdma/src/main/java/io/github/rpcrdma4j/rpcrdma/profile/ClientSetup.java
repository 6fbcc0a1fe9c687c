package io.github.rpcrdma4j.rpcrdma.profile;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.CallLayout;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** One connection of a client, for its profile. */
public interface ClientSetup {
    Settings settings();

    InetSocketAddress server();

    /** Guarded by the lock of the connection, as the requester is. */
    Endpoint endpoint();

    Requester requester();

    Statistics statistics();

    /** The time by the clock of the connection, in nanoseconds of any origin. */
    long nanoTime();

    /** What was agreed on when the connection was established. */
    Terms initial();

    /** Whether calls of the server will be served. */
    boolean isServing();

    /** Does something with the lock of the connection. */
    void locked(Runnable work);

    /**
     * Handles what arrives until something has come to pass.
     *
     * @param wanted asked with the lock of the connection held
     * @param nanos how long to wait at the most
     * @return whether it has
     */
    boolean await(BooleanSupplier wanted, long nanos) throws InterruptedException;

    /**
     * Makes a call of the profile's own, with the protection that the user gave, within the time
     * for setting up.
     */
    RpcReply call(RpcCall call) throws RpcException, InterruptedException;

    /** What holds for calls that are made from now on, in both directions. */
    void agree(Terms terms, CallLayout layout);
}
