package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Receives the outcome of a call of a {@link CallPipeline}. One of its methods is called, once, by
 * the thread that polls. It may submit other calls. What it throws, {@link CallPipeline#poll}
 * throws. The other calls of the pipeline wait meanwhile.
 */
public interface CallOutcome {
    /**
     * The call succeeded.
     *
     * @param results to be decoded at once: they and all views of them end when this method
     *     returns. What landed in the caller's own memory stays.
     * @throws XdrException if the results make no sense: then {@link #failed} is called
     */
    void succeeded(XdrReader results) throws XdrException;

    /** There are no results; the server may or may not have carried the call out. */
    void failed(RpcException reason);
}
