package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * How a client may protect its calls: {@code secinfo4} (RFC 8881, Section 18.29).
 *
 * <pre>
 *   flavor(32) | 6 RPCSEC_GSS: oid&lt;&gt; qop(32) service(32)
 *              | else:
 * </pre>
 */
public sealed interface SecurityChoice {
    /**
     * A flavor without parameters.
     *
     * @param number not that of RPCSEC_GSS
     */
    record Flavor(int number) implements SecurityChoice {
        /**
         * @throws IllegalArgumentException for RPCSEC_GSS
         */
        public Flavor {
            if (number == Gss.NUMBER) {
                throw new IllegalArgumentException("RPCSEC_GSS has parameters");
            }
        }
    }

    /**
     * RPCSEC_GSS.
     *
     * @param oid the mechanism, in DER
     * @param qop the quality of protection; 0 for the default
     * @param service {@code rpc_gss_svc_t}: 1 none, 2 integrity, 3 privacy
     */
    record Gss(OpaqueName oid, int qop, int service) implements SecurityChoice {
        private static final int NUMBER = 6;
    }

    static SecurityChoice decode(XdrReader in) throws XdrException {
        int flavor = in.uint32();
        return flavor == Gss.NUMBER
                ? new Gss(OpaqueName.decode(in), in.uint32(), in.uint32())
                : new Flavor(flavor);
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case Flavor(var number) -> out.uint32(number);
            case Gss(var oid, var qop, var service) ->
                    oid.encode(out.uint32(Gss.NUMBER)).uint32(qop).uint32(service);
        }
    }
}
