package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Told what came of a call of a {@link CallPipeline}: one of its methods, once, by the thread that
 * is within {@link CallPipeline#progress}. It may start other calls, and may throw what it likes:
 * that thread gets it. While it is told the other calls of the pipeline wait.
 */
public interface CallOutcome {
    /**
     * The call succeeded.
     *
     * @param results to be decoded at once: they and all views of them end when this method
     *     returns. What landed in the caller's own memory stays.
     * @throws XdrException if the results make no sense: then {@link #failed} is told
     */
    void succeeded(XdrReader results) throws XdrException;

    /** There are no results; the server may or may not have carried the call out. */
    void failed(RpcException reason);
}
