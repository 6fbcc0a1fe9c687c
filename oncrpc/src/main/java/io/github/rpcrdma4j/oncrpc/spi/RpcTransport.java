package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import java.time.Duration;

/**
 * A connection on which every call has its own protection. Thread-safe. Otherwise like {@link
 * RpcClient}.
 */
public interface RpcTransport extends AutoCloseable {
    /**
     * Makes a call and waits for its reply.
     *
     * @param protection the protection of this call alone
     * @param timeout the bound on the whole call, the wait for its turn included
     * @throws RpcException if the call has no results; the exception gives the reason
     * @throws InterruptedException if the thread is interrupted: the call is cancelled, but the
     *     server may have carried it out
     * @throws IllegalArgumentException if the call exceeds its own limits, or another call uses its
     *     XID; nothing was sent
     */
    RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException;

    /**
     * Begins a call and does not wait: neither for its turn nor for the peer. The memory of the
     * arguments and of the targets must stay as it is until the receiver has the outcome.
     *
     * @param protection the protection of this call alone
     * @param timeout the bound on the whole call
     * @param receiver receives the outcome, perhaps before this method returns
     * @return false if the call cannot begin without a wait, or the connection is lost, or the
     *     transport begins no calls; nothing was sent, and the receiver gets nothing
     * @throws IllegalArgumentException as {@link #call}; nothing was sent
     * @throws io.github.rpcrdma4j.memory.BudgetExhaustedException if there is no memory for the
     *     call; nothing was sent
     */
    default boolean begin(
            RpcCall call, CallProtection protection, Duration timeout, ReplyReceiver receiver) {
        return false;
    }

    /** Returns whether {@link #begin} may begin calls. If not, preparing one for it is in vain. */
    default boolean begins() {
        return false;
    }

    /**
     * Returns the longest results that a call may have, in bytes, if its header and the header of
     * its reply are the longest that there are.
     */
    default long resultsMax() {
        return RpcCall.RESULTS_BYTES_MAX;
    }

    /** Returns whether the transport places bulk results in the targets of a call. */
    default boolean placesResults() {
        return false;
    }

    /** Closes the connection. Calls in progress fail. Closing twice is harmless. */
    @Override
    void close();
}
