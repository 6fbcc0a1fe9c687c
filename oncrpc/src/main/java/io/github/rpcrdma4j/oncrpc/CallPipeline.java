package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * Calls that one thread keeps outstanding on a connection. The thread submits calls and polls:
 * {@link #poll} sends submitted calls and delivers the outcome of each call to its {@link
 * CallOutcome}. One thread at a time may use a pipeline. A connection carries any number of
 * pipelines at the same time.
 */
public interface CallPipeline extends AutoCloseable {
    /**
     * Submits a call, and does not wait for it. {@link #poll} sends submitted calls together, when
     * it begins and after it has delivered the available outcomes. If a new connection {@linkplain
     * RpcClient#takesOneCallAtFirst takes one call at first}, the others wait for the reply to the
     * first one; after a {@link RpcClient#ping} they all leave together.
     *
     * <p>Bulk arguments and result targets belong to the transport until the outcome is delivered,
     * or the pipeline is closed.
     *
     * @param timeout the bound on the call, the wait for its turn included; for a pipeline of a
     *     {@link ReconnectingRpcClient}, on each attempt. It is checked only within {@link #poll}.
     *     {@link RpcClient#call} describes the cost of giving up a call with bulk data.
     * @param outcome receives the outcome, unless the pipeline is closed before
     * @throws RpcException if the call cannot be protected; {@code outcome} is not invoked
     * @throws IllegalArgumentException if the call exceeds its own limits, the timeout is negative,
     *     or another call has its XID; nothing was sent. Some clients throw it from {@link #poll}
     *     instead.
     * @throws io.github.rpcrdma4j.memory.BudgetExhaustedException if there is no memory for the
     *     call or its reply; only this call fails, and nothing was sent
     * @throws IllegalStateException if the pipeline is closed
     */
    void submit(RpcCall call, Duration timeout, CallOutcome outcome) throws RpcException;

    /**
     * Sends submitted calls, waits for an outcome, and delivers the available outcomes.
     *
     * @param timeout the longest wait; with zero this method does not wait
     * @return whether an outcome was delivered; false if the time is up, or no call is outstanding
     * @throws InterruptedException if the thread is interrupted while it waits; all calls continue
     * @throws IllegalStateException if a {@link CallOutcome} of this pipeline calls it
     */
    boolean poll(Duration timeout) throws InterruptedException;

    /**
     * Returns the number of submitted calls without an outcome. A loop that waits for all calls
     * must check it, because {@link #poll} also returns false when its time is up.
     */
    int outstanding();

    /**
     * Cancels all calls without an outcome, and delivers no further outcomes. When this method
     * returns, the peer cannot reach their memory. The connection stays open, unless the peer
     * continues a cancelled call that has bulk data ({@link RpcClient#call}). So it is better to
     * wait for the calls first, if there is time. Closing twice is harmless.
     */
    @Override
    void close();
}
