package io.github.rpcrdma4j.rpcrdma.v2.wire;

/**
 * A set of operations beyond the base of version 2, which an endpoint supports as a whole or not at
 * all (V2-3.3-1, XCH-4-2).
 */
public enum Extension {
    /** INITXCH, REQXCH, RESPXCH, UPDXCH, and the characteristics of the base. */
    CHARACTERISTICS,
    /** XMTREQ, XMTRESP, XMTCONT, XMTERR, and their characteristics. */
    TRANSMISSIONS,
    /** The trailer of XMTREQ: a Reply chunk and done notices. Both sides have to announce it. */
    TRAILER,
    /** RPDONE, RPACK, RPCALL, and their characteristics. */
    READ_CHUNKS
}
