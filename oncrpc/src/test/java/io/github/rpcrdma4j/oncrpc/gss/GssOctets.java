package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/** The decoders of RPCSEC_GSS, for tests that try any octets on them. */
public final class GssOctets {
    private GssOctets() {}

    /**
     * @throws XdrException if that is no credential
     */
    public static void takeCredential(RawAuth credential) throws XdrException {
        GssCredential.decode(credential);
    }

    /**
     * @throws XdrException if these are no results of a context that is set up
     */
    public static void takeInitResult(XdrReader in) throws XdrException {
        GssInitResult.decode(in);
    }
}
