package io.github.rpcrdma4j.nfs;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;

/**
 * Where written bytes are when their WRITE is answered, in the order of the numbers of {@code
 * stable_how} in version 3 (RFC 1813, Section 3.3.7) and {@code stable_how4} in version 4 (RFC
 * 8881, Section 18.32).
 */
public enum Stability {
    /** In the memory of the server, until COMMIT. */
    UNSTABLE,
    /** On stable storage, with what it takes to read them. */
    DATA_SYNC,
    /** On stable storage, with all attributes of the file. */
    FILE_SYNC;

    /**
     * Decodes a number on the wire, of both versions.
     *
     * @throws XdrException if no durability has it
     */
    public static Stability decode(XdrReader in) throws XdrException {
        int number = in.uint32();
        if (number < 0 || number > FILE_SYNC.ordinal()) {
            throw new XdrException("unknown stable_how " + Integer.toUnsignedString(number));
        }
        return values()[number];
    }
}
