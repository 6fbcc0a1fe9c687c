package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * A flavor of authentication that a server accepts beside AUTH_NONE and AUTH_SYS. Several servers
 * may share one authenticator. A context that a client established over one transport is then valid
 * on the others. Thread-safe.
 */
public interface Authenticator {
    /** Returns the flavor of the credentials that this authenticator judges. */
    int flavor();

    /**
     * Returns whether arguments and results of a call travel wrapped, so that none of their items
     * may be placed directly (RFC 8166, Section 8.2.2.3). Does not decide whether the call is
     * admitted.
     */
    boolean wrapsData(RawAuth credential);

    /**
     * Judges a call; it may block.
     *
     * @param header a header of this flavor, neither of whose fields is malformed
     * @param arguments positioned after the header
     * @param client the client whose quotas the call uses
     */
    Admission admit(CallHeader header, XdrReader arguments, ClientAddress client);
}
