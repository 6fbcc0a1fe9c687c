package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Told what came of a call that nobody waits for: one of its methods, once. See {@link
 * RpcRdmaClient#start} for the thread that tells. It must not block; it may start other calls.
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
