package io.github.rpcrdma4j.xdr;

/**
 * The stream does not hold what the reader asked for: the peer's fault. The reader may have taken
 * the length word of the item; code that catches this gives the message up.
 */
public final class XdrException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the bytes, in one line. */
    public XdrException(String message) {
        // It is an answer to hostile bytes, so it must be cheap: no stack trace.
        super(message, null, false, false);
    }
}
