package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A registration of a program in version 2: {@code mapping} (RFC 1833, Section 3.1).
 *
 * <pre>
 *   prog | vers | prot | port
 * </pre>
 *
 * @param protocol {@link #TCP} or {@link #UDP}
 * @param port 0 to 65535; ignored in queries
 */
public record Mapping(int program, int version, int protocol, int port) {
    /** The protocol number of TCP. */
    public static final int TCP = 6;

    /** The protocol number of UDP. */
    public static final int UDP = 17;

    static Mapping decode(XdrReader in) throws XdrException {
        return new Mapping(in.uint32(), in.uint32(), in.uint32(), in.uint32());
    }

    void encode(XdrWriter out) {
        out.uint32(program).uint32(version).uint32(protocol).uint32(port);
    }
}
