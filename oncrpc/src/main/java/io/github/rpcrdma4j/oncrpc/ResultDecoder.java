package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/** Decodes the results of a call into a value that needs no memory of the transport. */
@FunctionalInterface
public interface ResultDecoder<T> {
    /**
     * Decodes the results.
     *
     * @param results valid, like all views of them, until this method returns; bulk results that
     *     were placed stay in the targets of the call
     * @throws XdrException if the results cannot be decoded
     */
    T decode(XdrReader results) throws XdrException;
}
