package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import java.net.InetSocketAddress;
import java.util.List;

/** The calls of a server to the client of one connection. Guarded by the lock of the connection. */
final class ReverseCalls {
    private final ServerProfile profile;
    private final Requester requester;
    private final CallEncoder encoder;
    private final RequesterDriver driver;

    /** The parameters of this direction. */
    private ConnectionParameters parameters;

    /**
     * Creates the requester, which posts a receive for every reply, in addition to those for calls
     * (RFC 8167-4.3.2-1).
     *
     * @param forward the parameters of the forward direction
     * @param completionQueue the completion queue, which other threads poll
     */
    ReverseCalls(
            ConnectionLock lock,
            Endpoint endpoint,
            Counters counters,
            ConnectionParameters forward,
            RpcRdmaOptions options,
            ServerProfile profile,
            InetSocketAddress peer,
            CompletionQueue completionQueue) {
        this.profile = profile;
        this.parameters = forward.reversed();
        requester = new Requester(endpoint, counters, new CreditWindow(options.callBackCredits()));
        profile.callBack(requester);
        encoder =
                new CallEncoder(
                        endpoint.memory(),
                        parameters,
                        List.of(),
                        options.segmentMax(),
                        profile.planner());
        driver =
                new RequesterDriver(
                        lock,
                        endpoint,
                        requester,
                        encoder,
                        peer,
                        new Parked(lock, completionQueue),
                        new KeepAlive(0, 0));
    }

    /** Returns an RPC client that makes calls in the reverse direction. */
    ReverseClient client(Credential credential) {
        return new ReverseClient(
                driver, CallProtection.of(credential), parameters.inlineResultsMax());
    }

    /** Sets other parameters, given for the forward direction. */
    void agree(ConnectionParameters changed) {
        parameters = changed.reversed();
        encoder.agree(parameters, profile.planner());
    }

    /** Returns whether a call has this XID. */
    boolean holds(int xid) {
        return requester.holds(xid);
    }

    /** Returns how many calls have no answer. */
    int unanswered() {
        return requester.unanswered();
    }

    /** Frees the memory that is kept for calls. */
    void close() {
        driver.close();
    }
}
