package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * How a client's state is protected from others: {@code state_protect4_a}, and but for SSV also
 * {@code state_protect4_r} (RFC 8881, Section 18.35).
 *
 * <pre>
 *   how(32) | 0 SP4_NONE:
 *           | 1 SP4_MACH_CRED: must_enforce must_allow
 *           | 2 SP4_SSV: must_enforce must_allow hash_algs&lt;&gt; encr_algs&lt;&gt; window(32)
 *                        num_gss_handles(32)
 * </pre>
 */
public sealed interface StateProtection {
    /** {@code SP4_NONE}: not at all. */
    record None() implements StateProtection {}

    /**
     * {@code SP4_MACH_CRED}: by the credential of the client's machine.
     *
     * @param mustEnforce the operations for which the server insists on that credential, by number
     * @param mustAllow the operations for which the server takes it beside another one, by number
     */
    record MachineCredential(Bitmap mustEnforce, Bitmap mustAllow) implements StateProtection {}

    /** {@code SP4_SSV}: by a secret state verifier. No server here does it. */
    record Ssv(
            Bitmap mustEnforce,
            Bitmap mustAllow,
            List<OpaqueName> hashAlgorithms,
            List<OpaqueName> encryptionAlgorithms,
            int window,
            int gssHandles)
            implements StateProtection {
        public Ssv {
            hashAlgorithms = List.copyOf(hashAlgorithms);
            encryptionAlgorithms = List.copyOf(encryptionAlgorithms);
        }
    }

    static StateProtection decode(XdrReader in) throws XdrException {
        int how = in.uint32();
        return switch (how) {
            case 0 -> new None();
            case 1 -> new MachineCredential(Bitmap.decode(in), Bitmap.decode(in));
            case 2 ->
                    new Ssv(
                            Bitmap.decode(in),
                            Bitmap.decode(in),
                            XdrArrays.list(in, Integer.BYTES, OpaqueName::decode),
                            XdrArrays.list(in, Integer.BYTES, OpaqueName::decode),
                            in.uint32(),
                            in.uint32());
            default -> throw XdrArrays.unknown("state_protect_how4", how);
        };
    }

    default void encode(XdrWriter out) {
        switch (this) {
            case None() -> out.uint32(0);
            case MachineCredential(var enforce, var allow) ->
                    allow.encode(enforce.encode(out.uint32(1)));
            case Ssv(var enforce, var allow, var hash, var encryption, var window, var handles) -> {
                allow.encode(enforce.encode(out.uint32(2)));
                XdrArrays.encode(out, hash, OpaqueName::encode);
                XdrArrays.encode(out, encryption, OpaqueName::encode);
                out.uint32(window).uint32(handles);
            }
        }
    }
}
