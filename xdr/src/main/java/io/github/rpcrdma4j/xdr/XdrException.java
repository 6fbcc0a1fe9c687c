package io.github.rpcrdma4j.xdr;

/**
 * Reports that a stream does not hold the item that the reader expected, which is the peer's fault.
 * The reader may have consumed the length word of the item, so the catcher cannot go on reading the
 * message.
 */
public final class XdrException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Creates an exception; the message says in one line what is wrong with the bytes. */
    public XdrException(String message) {
        // Hostile bytes can cause it at any rate, so it must be cheap: no stack trace.
        super(message, null, false, false);
    }
}
