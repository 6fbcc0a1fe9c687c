package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * Many calls in flight, kept going by one thread. The thread submits calls, and polls: {@link
 * #poll} sends what was submitted and delivers the outcome of each call to its {@link CallOutcome}.
 * Used by one thread at a time; a connection carries any number of pipelines beside each other.
 */
public interface CallPipeline extends AutoCloseable {
    /**
     * Submits a call, and does not wait for it. The call is sent, together with others, when {@link
     * #poll} is called or has delivered the outcomes that are due. If a new connection {@linkplain
     * RpcClient#takesOneCallAtFirst takes one call at first}, the others wait for the reply to the
     * first one; a {@link RpcClient#ping} before the first call lets them leave together.
     *
     * <p>Bulk arguments and result targets belong to the transport until the outcome is delivered,
     * or the pipeline is closed.
     *
     * @param timeout the bound on the call, the wait for its turn included; noticed within {@link
     *     #poll} alone. {@link RpcClient#call} says what giving up a call with bulk data can cost.
     * @param outcome called once, unless the pipeline is closed before
     * @throws RpcException if the call cannot be protected; its outcome is not delivered
     * @throws IllegalArgumentException if the call breaks its own limits, or another call has its
     *     XID; nothing was sent. Some clients throw that from {@link #poll}.
     * @throws IllegalStateException if the pipeline is closed
     */
    void submit(RpcCall call, Duration timeout, CallOutcome outcome) throws RpcException;

    /**
     * Sends what was submitted, and delivers the outcomes that are due; waits until there is one.
     *
     * @param timeout how long to wait; zero: not at all
     * @return whether an outcome was delivered; false when the time is up, or no call is left
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     * @throws IllegalStateException if it is called by an outcome of this pipeline
     */
    boolean poll(Duration timeout) throws InterruptedException;

    /**
     * How many submitted calls have no outcome yet. A loop that waits for all calls asks for it,
     * since {@link #poll} also returns false when its time is up.
     */
    int outstanding();

    /**
     * Cancels the calls that have no outcome yet; no outcome is delivered from then on. When this
     * method returns the peer cannot reach their memory. The connection stays, unless the peer goes
     * on with a cancelled call that has bulk data ({@link RpcClient#call}); so it is better to wait
     * for the calls, if there is time. Closing twice is harmless.
     */
    @Override
    void close();
}
