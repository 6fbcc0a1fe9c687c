package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A connection for calls. Thread-safe: many threads may each wait for a call of their own. When its
 * connection is lost, a client does not recover, and its owner makes another one; a {@link
 * ReconnectingRpcClient} reconnects by itself.
 */
public interface RpcClient extends AutoCloseable {
    /**
     * Makes a call and waits for its reply.
     *
     * <p>When this method returns or throws, for any reason, the peer can no longer reach the
     * caller's memory.
     *
     * <p>Over RDMA this has a cost. When a call with bulk arguments or result targets times out or
     * is interrupted, this side withdraws its memory without notice to the peer. If the peer then
     * continues the call and accesses the memory, RDMA ends the connection. All calls on it fail
     * with a {@link RpcException.CallGivenUp}. So a timeout should be longer than the slowest call,
     * and a client that sometimes gives up calls should be a {@link ReconnectingRpcClient}.
     *
     * @param timeout the bound on the whole call, the wait for its turn included. A {@link
     *     ReconnectingRpcClient} applies it to each attempt to make the call, because its retry
     *     time bounds the attempts.
     * @throws RpcException if the call has no results; the exception gives the reason
     * @throws InterruptedException if the thread is interrupted: the call is cancelled, but the
     *     server may have carried it out
     * @throws IllegalArgumentException if the call exceeds its own limits, the timeout is negative,
     *     an argument or a result target is confined to another thread, there are more targets than
     *     the binding has bulk results, or another call uses its XID; nothing was sent
     * @throws io.github.rpcrdma4j.memory.BudgetExhaustedException if there is no memory for the
     *     call or its reply; only this call fails, and nothing was sent
     */
    RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException;

    /**
     * Calls procedure 0, which every program has and which does nothing (RFC 5531, Section 12.1).
     * If {@link #takesOneCallAtFirst} is true, its reply lets a new connection take many calls at a
     * time.
     *
     * @param program any program that the server serves
     * @param timeout the bound on the call, as in {@link #call}
     * @throws RpcException if there is no reply, or the server refuses
     * @throws InterruptedException if the thread is interrupted
     */
    default void ping(int program, int version, Duration timeout)
            throws RpcException, InterruptedException {
        try (var reply = call(RpcCall.ofNull(program, version), timeout)) {
            reply.results().finish();
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /**
     * Returns whether a new connection takes one call at a time until its first reply, as with
     * RPC-over-RDMA, where that reply grants credits for more (RFC 8166, Section 3.3.1). If the
     * first call is slow, all others wait for it. A {@link #ping} as the first call is quick.
     */
    default boolean takesOneCallAtFirst() {
        return false;
    }

    /**
     * Returns the most bytes of a call of the server, or of the reply to one, that the connection
     * carries. By default there is no bound.
     */
    default long callBackBytesMax() {
        return Long.MAX_VALUE;
    }

    /**
     * Returns how many more calls could be sent now, which may be another number at once. By
     * default there is no bound.
     */
    default int callsLeft() {
        return Integer.MAX_VALUE;
    }

    /**
     * Makes a call on a virtual thread, and decodes its results. A {@link #pipeline} makes many
     * calls at a time without copies or threads. As another thread makes the call, its memory must
     * not be confined to this one: it is of {@code Arena.ofShared()} or {@code Arena.ofAuto()}.
     *
     * @param timeout the bound on the call, as in {@link #call}: for a {@link
     *     ReconnectingRpcClient}, on each attempt
     * @param decoder converts the results into the value of the future
     * @return a future that completes with that value, or with the exception of {@link #call}. Its
     *     {@code cancel} gives up the call, and returns when the peer cannot reach the call's
     *     memory.
     */
    default <T> CompletableFuture<T> callAsync(
            RpcCall call, Duration timeout, ResultDecoder<T> decoder) {
        return AsyncCall.start(this, call, timeout, decoder);
    }

    /**
     * Creates a pipeline, on which one thread keeps many calls outstanding. By default each call
     * waits on a virtual thread of its own.
     *
     * @return a pipeline that the caller closes, even if this client was closed before
     */
    default CallPipeline pipeline() {
        return new BlockingPipeline(this);
    }

    /** Closes the connection. Calls in progress fail. Closing twice is harmless. */
    @Override
    void close();
}
