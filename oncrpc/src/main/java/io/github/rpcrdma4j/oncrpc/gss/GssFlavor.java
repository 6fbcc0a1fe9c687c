package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;

/** What the credential of a call with RPCSEC_GSS shows to a party without the context. */
public final class GssFlavor {
    /** The flavor of credentials and verifiers (RFC 2203, Section 4). */
    public static final int NUMBER = GssCredential.FLAVOR;

    private GssFlavor() {}

    /**
     * Returns whether arguments and results of a call travel wrapped, for integrity or privacy (RFC
     * 2203, Section 5.3.2). For a malformed credential, it returns false.
     *
     * @param credential a credential of this flavor
     */
    public static boolean wrapsData(RawAuth credential) {
        try {
            var decoded = GssCredential.decode(credential);
            return decoded.procedure() == GssProcedure.DATA && decoded.service() != GssService.NONE;
        } catch (XdrException _) {
            return false;
        }
    }
}
