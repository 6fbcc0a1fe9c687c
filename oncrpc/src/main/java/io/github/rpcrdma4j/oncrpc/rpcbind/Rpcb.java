package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;

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
    /** The longest address that a server may have, in bytes. */
    static final int STRING_MAX = 256;

    /** The longest string of a registration, in bytes: more than implementations take. */
    private static final int REGISTERED_STRING_MAX = 1 << 16;

    /** Reads a registration. Its strings are what a user chose: any bytes. */
    static Rpcb decode(XdrReader in) throws XdrException {
        return new Rpcb(in.uint32(), in.uint32(), text(in), text(in), text(in));
    }

    private static String text(XdrReader in) throws XdrException {
        return new String(in.bytes(REGISTERED_STRING_MAX), StandardCharsets.UTF_8);
    }

    void encode(XdrWriter out) {
        out.uint32(program).uint32(version).string(netid).string(address).string(owner);
    }
}
