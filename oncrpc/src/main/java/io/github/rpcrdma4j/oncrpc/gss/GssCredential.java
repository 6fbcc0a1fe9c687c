package io.github.rpcrdma4j.oncrpc.gss;

import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The credential of a call: {@code rpc_gss_cred_t} (RFC 2203, Section 5).
 *
 * <pre>
 *   flavor 6 | length | version 1 | procedure | seq_num | service | handle: length, bytes
 * </pre>
 *
 * @param sequence the sequence number, unsigned; only meaningful in DATA and DESTROY
 * @param service the service; only meaningful in DATA
 * @param handle the server's handle of the context; empty in INIT
 */
record GssCredential(GssProcedure procedure, int sequence, GssService service, byte[] handle) {
    /** The flavor of credentials and verifiers. */
    static final int FLAVOR = 6;

    /** The only supported version. */
    static final int VERSION = 1;

    /** The longest handle that fits in a credential, in bytes. */
    static final int HANDLE_MAX = RawAuth.BODY_MAX - 5 * Integer.BYTES;

    /** Returns the wire form. */
    RawAuth encode() {
        var out = ByteBuffer.allocate(5 * Integer.BYTES + (int) XdrWriter.roundUp(handle.length));
        out.putInt(VERSION).putInt(procedure.ordinal()).putInt(sequence);
        out.putInt(service.number()).putInt(handle.length).put(handle);
        return new RawAuth(FLAVOR, MemorySegment.ofArray(out.array()));
    }

    /**
     * Decodes a credential.
     *
     * @throws XdrException if the credential is malformed, or has another version
     */
    static GssCredential decode(RawAuth credential) throws XdrException {
        var in = new XdrReader(credential.body());
        int version = in.uint32();
        if (version != VERSION) {
            throw new XdrException(
                    "unsupported RPCSEC_GSS version " + Integer.toUnsignedString(version));
        }
        int procedure = in.uint32();
        int sequence = in.uint32();
        int service = in.uint32();
        byte[] handle = in.bytes(HANDLE_MAX);
        in.finish();
        if (procedure < 0 || procedure >= GssProcedure.values().length) {
            throw new XdrException("unknown RPCSEC_GSS procedure");
        }
        return new GssCredential(
                GssProcedure.values()[procedure],
                sequence,
                GssService.of(service)
                        .orElseThrow(() -> new XdrException("unknown RPCSEC_GSS service")),
                handle);
    }

    /** Returns the wire form of a verifier with a message integrity code. */
    static RawAuth verifier(byte[] mic) {
        return new RawAuth(FLAVOR, MemorySegment.ofArray(mic));
    }

    @Override
    public String toString() {
        return procedure
                + " "
                + Integer.toUnsignedString(sequence)
                + " "
                + service
                + " "
                + HexFormat.of().formatHex(handle);
    }
}
