package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.connection.ChunkWrite;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends.Part;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a responder does of its own by the edition of the protocol. Guarded by the lock of the
 * connection.
 */
sealed interface ResponderEdition permits Rfc8166Responder, Rfc5666Responder, Version2Responder {
    /**
     * A reply that travels as only this edition has it.
     *
     * @param writes the RDMA Writes to make before the Sends
     * @param sends in order; one at least
     * @param sent told when the Sends are done
     */
    record Outgoing(List<ChunkWrite> writes, List<Part> sends, Runnable sent) {}

    /**
     * The one that calls of version 1 are answered by.
     *
     * @param allowance of the client
     */
    static ResponderEdition ofVersion1(
            Endpoint endpoint, RpcRdmaOptions options, Allowance allowance, Statistics statistics) {
        if (options.rfc5666().isEmpty()) {
            return new Rfc8166Responder();
        }
        return new Rfc5666Responder(
                options.rfc5666().get(),
                options.credits(),
                endpoint.memory(),
                allowance,
                statistics,
                endpoint::close);
    }

    Edition edition();

    /** The version that calls came in, and are answered in. */
    Framing framing();

    /** How many receives stand posted beside one for each credit. */
    int spareReceives();

    /**
     * What is granted now.
     *
     * @param credits of the connection
     */
    int grant(int credits);

    /**
     * Whether one more reply may be made; otherwise all wait.
     *
     * @param call whose reply it would be
     */
    boolean hasRoom(ServedCall call, Terms terms);

    /**
     * The reply to a call as only this edition has it.
     *
     * @param plan how it would travel by RFC 8166; empty if there is no room for it
     * @return empty if it travels by the plan
     */
    Optional<Outgoing> reply(ServedCall call, Optional<ReplyPlan> plan, Terms terms);

    /**
     * The requester has fetched the results of calls.
     *
     * @param invalidated the handle that its message has invalidated
     * @return false if there is nothing to be fetched of any
     */
    boolean done(List<Integer> xids, OptionalInt invalidated);

    /** What is to be sent again, if a call came whose results wait to be fetched. */
    Optional<Frame> called(int xid);

    /**
     * Looks after requesters that fetch nothing.
     *
     * @param now in nanoseconds of any origin
     * @return whether the connection was closed for that
     */
    boolean expire(long now);

    /** The connection is gone. */
    void lost();
}
