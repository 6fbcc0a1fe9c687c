package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;

/** What the credential of a call shows to a party without a context of RPCSEC_GSS. */
public final class GssFlavor {
    /** The flavor of credentials and verifiers (RFC 2203, Section 4). */
    public static final int NUMBER = GssCredential.FLAVOR;

    /** What a party without the context can read of the arguments and results of a call. */
    public enum Body {
        /** They belong to the context, and not to the called procedure. */
        CONTEXT,
        /** They are those of the procedure. */
        PLAIN,
        /** The arguments and results are readable inside a signed item. */
        SIGNED,
        /** They are encrypted. */
        ENCRYPTED
    }

    private GssFlavor() {}

    /**
     * Returns what can be read of a call (RFC 2203, Section 5.3.2). For a malformed credential of
     * this flavor, it returns {@link Body#CONTEXT}.
     *
     * @param credential a credential of any flavor
     */
    public static Body body(RawAuth credential) {
        if (credential.flavor() != NUMBER) {
            return Body.PLAIN;
        }
        try {
            var decoded = GssCredential.decode(credential);
            if (decoded.procedure() != GssProcedure.DATA) {
                return Body.CONTEXT;
            }
            return switch (decoded.service()) {
                case NONE -> Body.PLAIN;
                case INTEGRITY -> Body.SIGNED;
                case PRIVACY -> Body.ENCRYPTED;
            };
        } catch (XdrException _) {
            return Body.CONTEXT;
        }
    }

    /**
     * Returns whether arguments and results of a call travel wrapped, for integrity or privacy (RFC
     * 2203, Section 5.3.2). For a malformed credential, it returns false.
     *
     * @param credential a credential of any flavor
     */
    public static boolean wrapsData(RawAuth credential) {
        return switch (body(credential)) {
            case SIGNED, ENCRYPTED -> true;
            case CONTEXT, PLAIN -> false;
        };
    }
}
