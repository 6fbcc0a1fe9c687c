package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Receives the outcome of one call of a {@link CallPipeline}. The polling thread invokes one of its
 * methods, once; {@link #failed} also follows a {@link #succeeded} that threw an {@link
 * XdrException}. The method may submit other calls. {@link CallPipeline#poll} throws the exceptions
 * that it throws. The other calls of the pipeline wait until it returns.
 */
public interface CallOutcome {
    /**
     * Delivers the results of a successful call.
     *
     * @param results valid, like all views of them, until this method returns, so they must be
     *     decoded here. Bulk results in the caller's own memory stay.
     * @throws XdrException if the results cannot be decoded: then the pipeline invokes {@link
     *     #failed}
     */
    void succeeded(XdrReader results) throws XdrException;

    /**
     * Reports that the call has no results. Depending on the reason, the server may have carried it
     * out.
     */
    void failed(RpcException reason);
}
