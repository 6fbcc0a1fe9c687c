package io.github.rpcrdma4j.oncrpc;

import java.time.Duration;

/**
 * Calls that one thread keeps in flight on a connection: it starts them, and is told what came of
 * each while it is within {@link #progress}. Used by one thread at a time; a connection carries any
 * number of pipelines beside each other.
 */
public interface CallPipeline extends AutoCloseable {
    /**
     * Starts a call, and does not wait for it. It leaves, together with others, when {@link
     * #progress} is called or has told what is due. On a new connection that {@linkplain
     * RpcClient#takesOneCallAtFirst takes one call at first}, a {@link RpcClient#ping} before the
     * first start lets them leave together; otherwise the first one is waited for.
     *
     * <p>Bulk arguments and result targets belong to the transport until the outcome is told, or
     * the pipeline closed.
     *
     * @param timeout the bound on the call, the wait for its turn included; noticed within {@link
     *     #progress} alone. What giving up a call with bulk data can cost, {@link RpcClient#call}
     *     says.
     * @param outcome told once, unless the pipeline is closed before
     * @throws RpcException if the call cannot be protected; the outcome is not told
     * @throws IllegalArgumentException if the call breaks its own limits, or its XID is that of
     *     another; nothing was sent. Some clients throw that from {@link #progress}.
     * @throws IllegalStateException if the pipeline is closed
     */
    void start(RpcCall call, Duration timeout, CallOutcome outcome) throws RpcException;

    /**
     * Sends what was started and tells the outcomes that are due; waits until there is one.
     *
     * @param timeout how long to wait; zero: not at all
     * @return whether an outcome was told; false when the time is up, or no call is left
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     * @throws IllegalStateException if an outcome of this pipeline is told right now
     */
    boolean progress(Duration timeout) throws InterruptedException;

    /**
     * Cancels the calls whose outcomes were not told, and tells none any more. When this method
     * returns the peer cannot reach their memory. The connection stays, unless the peer goes on
     * with a cancelled call that has bulk data ({@link RpcClient#call}); so it is better to wait
     * for the calls, if there is time. Closing twice is harmless.
     */
    @Override
    void close();
}
