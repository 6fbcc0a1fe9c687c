package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A registration of a program in versions 3 and 4: {@code rpcb} (RFC 1833, Section 2.1).
 *
 * <pre>
 *   r_prog | r_vers | r_netid | r_addr | r_owner
 * </pre>
 *
 * @param netid the transport, a {@link Netid#word()} or another
 * @param address a {@link UniversalAddress}; may be empty in queries
 * @param owner the user that made the registration; empty in queries
 */
public record Rpcb(int program, int version, String netid, String address, String owner) {
    /** The longest string that is accepted, in bytes. */
    static final int STRING_MAX = 256;

    /** The longest encoded form in a list, with the word that follows it there, in bytes. */
    static final int ENCODED_MAX = 6 * Integer.BYTES + 3 * STRING_MAX;

    static Rpcb decode(XdrReader in) throws XdrException {
        return new Rpcb(
                in.uint32(),
                in.uint32(),
                in.string(STRING_MAX),
                in.string(STRING_MAX),
                in.string(STRING_MAX));
    }

    void encode(XdrWriter out) {
        out.uint32(program).uint32(version).string(netid).string(address).string(owner);
    }
}
