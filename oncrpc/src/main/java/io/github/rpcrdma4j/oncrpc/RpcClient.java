package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A connection on which calls are made. Thread-safe: many threads may each wait for a call of their
 * own. A client that lost its connection stays lost, and its owner makes another; a {@link
 * ReconnectingRpcClient} does that by itself.
 */
public interface RpcClient extends AutoCloseable {
    /**
     * Makes a call and waits for its reply.
     *
     * <p>When this method returns or throws, whatever the reason, the peer cannot reach the
     * caller's memory any more.
     *
     * <p>Over RDMA that has a price. A call with bulk arguments or result targets that times out or
     * is interrupted has its memory withdrawn, and the peer does not learn of it. If the peer then
     * goes on with that call, and reaches for the memory, the connection ends by the rules of RDMA,
     * and with it all calls on it: their callers get a {@link RpcException.CallGivenUp}. So a
     * timeout is best longer than the slowest call takes, and a client that has to give calls up
     * now and then is best a {@link ReconnectingRpcClient}.
     *
     * @param timeout the bound on the whole call, the wait for its turn included
     * @throws RpcException if there are no results, with the reason
     * @throws InterruptedException if the thread is interrupted: the call is cancelled, and may or
     *     may not have been carried out
     * @throws IllegalArgumentException if the call breaks its own limits, or its XID is that of
     *     another; nothing was sent
     */
    RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException;

    /**
     * Does nothing, there and back: calls procedure 0, which every program has (RFC 5531, Section
     * 12.1). Where {@link #takesOneCallAtFirst} it opens a new connection for many calls at a time.
     *
     * @param program any that the server serves
     * @param timeout the bound on the whole call
     * @throws RpcException if there is no reply, or the server refuses
     * @throws InterruptedException if the thread is interrupted
     */
    default void ping(int program, int version, Duration timeout)
            throws RpcException, InterruptedException {
        try (var reply = call(new RpcCall(program, version, 0, _ -> {}, 0), timeout)) {
            reply.results().finish();
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /**
     * Whether a new connection takes one call at a time until its first reply, as RPC-over-RDMA
     * does: that reply grants the credits for more (RFC 8166, Section 3.3.1). If the first call is
     * slow, all others wait for it; a {@link #ping} before them is not.
     */
    default boolean takesOneCallAtFirst() {
        return false;
    }

    /**
     * Makes a call on a virtual thread, and decodes its results. For many calls at a time without
     * copies or threads there is {@link #pipeline}.
     *
     * @param timeout the bound on the whole call
     * @param decoder turns the results into the value of the future
     * @return completes with that value, or exceptionally with what {@link #call} throws. To cancel
     *     it is to give the call up; that returns when the peer cannot reach the call's memory.
     */
    default <T> CompletableFuture<T> callAsync(
            RpcCall call, Duration timeout, ResultDecoder<T> decoder) {
        return AsyncCall.start(this, call, timeout, decoder);
    }

    /**
     * Begins a pipeline: calls that one thread keeps going without waiting for each. By default
     * each of them waits in a virtual thread of its own.
     *
     * @return to be closed by the caller, also if this client was closed meanwhile
     */
    default CallPipeline pipeline() {
        return new BlockingPipeline(this);
    }

    /** Closes the connection; calls in progress fail. Closing twice is harmless. */
    @Override
    void close();
}
