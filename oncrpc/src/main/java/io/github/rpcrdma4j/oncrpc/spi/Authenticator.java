package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * A flavor of authentication that a server takes beside AUTH_NONE and AUTH_SYS. One may be shared
 * by several servers: then what was agreed on over one transport holds on the others. Thread-safe.
 */
public interface Authenticator {
    /** The flavor of the credentials that are its own. */
    int flavor();

    /**
     * Whether arguments and results of a call travel wrapped, so that none of their items may be
     * placed directly (RFC 8166, Section 8.2.2.3). Says nothing of whether the call is let in.
     */
    boolean wrapsData(RawAuth credential);

    /**
     * Judges a call; it may block.
     *
     * @param header a header of this flavor, neither of whose fields is malformed
     * @param arguments stands behind the header
     * @param client whose shares the call uses
     */
    Admission admit(CallHeader header, XdrReader arguments, ClientAddress client);
}
