package io.github.rpcrdma4j.oncrpc;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * The status of an accepted call: {@code accept_stat} (RFC 5531, Section 9). The order of the
 * constants is the numbering on the wire.
 */
public enum AcceptStatus {
    /** The results follow. */
    SUCCESS,
    /** The server does not serve the program. */
    PROG_UNAVAIL,
    /** The server serves the program, but not this version. */
    PROG_MISMATCH,
    /** The version of the program has no such procedure. */
    PROC_UNAVAIL,
    /** The arguments could not be decoded. */
    GARBAGE_ARGS,
    /** The server failed. */
    SYSTEM_ERR;

    private static final List<AcceptStatus> BY_NUMBER = List.of(values());

    /**
     * Decodes {@code accept_stat}.
     *
     * @throws XdrException if there is no such status
     */
    public static AcceptStatus decode(XdrReader in) throws XdrException {
        int number = in.uint32();
        if (number < 0 || number >= BY_NUMBER.size()) {
            throw new XdrException("unknown accept_stat " + Integer.toUnsignedString(number));
        }
        return BY_NUMBER.get(number);
    }

    /** Encodes {@code accept_stat}. */
    public void encode(XdrWriter out) {
        out.uint32(ordinal());
    }
}
