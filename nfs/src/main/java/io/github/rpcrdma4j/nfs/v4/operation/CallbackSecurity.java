package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What a server may use for its callbacks: {@code callback_sec_parms4} (RFC 8881, Section 18.33).
 *
 * <pre>
 *   flavor(32) | 0 AUTH_NONE:
 *              | 1 AUTH_SYS: stamp(32) machine&lt;255&gt; uid(32) gid(32) gids&lt;16&gt;
 *              | 6 RPCSEC_GSS: service(32) handle_from_server&lt;&gt; handle_from_client&lt;&gt;
 * </pre>
 */
public sealed interface CallbackSecurity {
    /** AUTH_NONE. */
    record None() implements CallbackSecurity {}

    /**
     * AUTH_SYS.
     *
     * @param machine the client's name for its host
     * @param gids further groups
     */
    record Sys(int stamp, OpaqueName machine, int uid, int gid, List<Integer> gids)
            implements CallbackSecurity {
        private static final int MACHINE_MAX = 255;
        private static final int GIDS_MAX = 16;

        public Sys {
            gids = List.copyOf(gids);
        }

        static Sys decode(XdrReader in) throws XdrException {
            return new Sys(
                    in.uint32(),
                    OpaqueName.of(in.bytes(MACHINE_MAX)),
                    in.uint32(),
                    in.uint32(),
                    XdrArrays.list(in, Integer.BYTES, GIDS_MAX, XdrReader::uint32));
        }

        private void put(XdrWriter out) {
            machine.encode(out.uint32(stamp)).uint32(uid).uint32(gid);
            XdrArrays.encode(out, gids, (gid, to) -> to.uint32(gid));
        }

        /**
         * Returns the credential for calls. A name of the machine that is not UTF-8 becomes empty,
         * because nothing depends on it.
         */
        public Credential.Sys credential() {
            byte[] bytes = machine.bytes();
            var text = new String(bytes, StandardCharsets.UTF_8);
            boolean isText = Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8));
            return new Credential.Sys(stamp, isText ? text : "", uid, gid, gids);
        }
    }

    /**
     * RPCSEC_GSS, with contexts that the client set up.
     *
     * @param service {@code rpc_gss_svc_t}: 1 none, 2 integrity, 3 privacy
     */
    record Gss(int service, OpaqueName handleFromServer, OpaqueName handleFromClient)
            implements CallbackSecurity {}

    static CallbackSecurity decode(XdrReader in) throws XdrException {
        int flavor = in.uint32();
        return switch (flavor) {
            case 0 -> new None();
            case 1 -> Sys.decode(in);
            case 6 -> new Gss(in.uint32(), OpaqueName.decode(in), OpaqueName.decode(in));
            default -> throw XdrArrays.unknown("flavor of callbacks", flavor);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case None() -> out.uint32(0);
            case Sys sys -> sys.put(out.uint32(1));
            case Gss(var service, var fromServer, var fromClient) ->
                    fromClient.encode(fromServer.encode(out.uint32(6).uint32(service)));
        }
    }
}
