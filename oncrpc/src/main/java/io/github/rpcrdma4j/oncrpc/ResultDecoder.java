package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/** Decodes the results of a call into a value that needs no memory of the transport. */
@FunctionalInterface
public interface ResultDecoder<T> {
    /**
     * Decodes the results.
     *
     * @param results end when this method returns, and all views of them; bulk results that were
     *     placed stay in the targets of the call
     * @throws XdrException if the results make no sense
     */
    T decode(XdrReader results) throws XdrException;
}
