package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The results of INIT and CONTINUE_INIT: {@code rpc_gss_init_res} (RFC 2203, Section 5.2.3.1).
 *
 * <pre>
 *   handle | gss_major | gss_minor | seq_window | gss_token
 * </pre>
 *
 * @param handle the server's handle of the context; empty if it made none
 * @param major the GSS-API status; only the two constants here mean success
 * @param minor the status number of the mechanism
 * @param window the size of the server's sequence window: how far calls may overtake each other
 * @param token the token for the client's end of the context; empty if there is none
 */
record GssInitResult(byte[] handle, int major, int minor, int window, byte[] token) {
    /** {@code gss_major}: the server's end of the context is complete. */
    static final int COMPLETE = 0;

    /** {@code gss_major}: the server's end needs another token. */
    static final int CONTINUE_NEEDED = 1;

    /** The longest token, in bytes. Tickets with many groups are long. */
    static final int TOKEN_MAX = 1 << 16;

    /** The longest results, in bytes. */
    static final int BYTES_MAX = 5 * Integer.BYTES + GssCredential.HANDLE_MAX + TOKEN_MAX;

    void encode(XdrWriter out) {
        out.opaque(handle).uint32(major).uint32(minor).uint32(window).opaque(token);
    }

    static GssInitResult decode(XdrReader in) throws XdrException {
        byte[] handle = in.bytes(GssCredential.HANDLE_MAX);
        int major = in.uint32();
        int minor = in.uint32();
        int window = in.uint32();
        byte[] token = in.bytes(TOKEN_MAX);
        in.finish();
        return new GssInitResult(handle, major, minor, window, token);
    }
}
