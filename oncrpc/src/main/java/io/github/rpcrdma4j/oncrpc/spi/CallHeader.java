package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The start of a call message (RFC 5531, Section 9).
 *
 * <pre>
 *   xid | CALL 0 | rpcvers 2 | prog | vers | proc
 *       | cred: flavor, length, body | verf: flavor, length, body | arguments
 * </pre>
 *
 * @param rpcVersion 2, or the version that a peer sent; unless it is 2, the fields after it are 0
 * @param credential as received, not judged yet
 * @param verifier as received, not judged yet
 */
public record CallHeader(
        int xid,
        int rpcVersion,
        int program,
        int version,
        int procedure,
        RawAuth credential,
        RawAuth verifier) {
    /** The flavor with which a client asks for TLS (RFC 9289, Section 4.1). */
    private static final int AUTH_TLS = 7;

    /** RPCSEC_GSS (RFC 2203). */
    private static final int RPCSEC_GSS = 6;

    /** The only version of ONC RPC. */
    public static final int RPC_VERSION = 2;

    /** The message type of a call. */
    static final int CALL = 0;

    private static final int CREDENTIAL_OFFSET = 6 * Integer.BYTES;

    /** In a credential of RPCSEC_GSS, after its flavor, length, version and procedure. */
    private static final int SEQUENCE_OFFSET = 4 * Integer.BYTES;

    /** Returns whether the client asks for TLS (RFC 9289, Section 4.1). */
    public boolean asksForTls() {
        return credential.flavor() == AUTH_TLS;
    }

    /**
     * Decodes the header. The reader then stands at the arguments, unless the RPC version is
     * unsupported or the credential or the verifier is malformed.
     *
     * @throws XdrException if the message is not a call, or ends before its credential
     */
    public static CallHeader decode(XdrReader in) throws XdrException {
        int xid = in.uint32();
        if (in.uint32() != CALL) {
            throw new XdrException("not a call");
        }
        int rpcVersion = in.uint32();
        if (rpcVersion != RPC_VERSION) {
            return new CallHeader(xid, rpcVersion, 0, 0, 0, RawAuth.NONE, RawAuth.NONE);
        }
        int program = in.uint32();
        int version = in.uint32();
        int procedure = in.uint32();
        var credential = RawAuth.decode(in);
        var verifier = credential == RawAuth.MALFORMED ? RawAuth.MALFORMED : RawAuth.decode(in);
        return new CallHeader(xid, rpcVersion, program, version, procedure, credential, verifier);
    }

    /** Writes a header with an empty verifier. The caller writes the arguments next. */
    public static void encode(
            XdrWriter out, int xid, int program, int version, int procedure, RawAuth credential) {
        encodeToVerifier(out, xid, program, version, procedure, credential);
        RawAuth.NONE.encode(out);
    }

    /** Writes a header up to its verifier, which the caller writes next. */
    static void encodeToVerifier(
            XdrWriter out, int xid, int program, int version, int procedure, RawAuth credential) {
        out.uint32(xid).uint32(CALL).uint32(RPC_VERSION);
        out.uint32(program).uint32(version).uint32(procedure);
        credential.encode(out);
    }

    /**
     * Returns the called procedure as text for a user: {@code program 100003 version 3 procedure
     * 6}.
     */
    public String procedureName() {
        return ProgramId.name(program, version, procedure);
    }

    /**
     * Returns a checksum of the call that all its copies have, and no other call of another client.
     * With RPCSEC_GSS, each copy has another sequence number, and so another verifier (RFC 2203,
     * Section 5.3.3.1).
     *
     * @param message the whole message that this is the header of
     */
    public int checksumOfCopies(MemorySegment message) {
        byte[] bytes = message.toArray(ValueLayout.JAVA_BYTE);
        int sequence = CREDENTIAL_OFFSET + SEQUENCE_OFFSET;
        int verifierAt = CREDENTIAL_OFFSET + credential.length();
        boolean isComplete = verifierAt >= sequence + Integer.BYTES && !verifier.isMalformed();
        if (credential.flavor() == RPCSEC_GSS && isComplete) {
            Arrays.fill(bytes, sequence, sequence + Integer.BYTES, (byte) 0);
            Arrays.fill(bytes, verifierAt, verifierAt + verifier.length(), (byte) 0);
        }
        return KeyedHash.of(bytes);
    }

    /**
     * Returns a copy of the bytes that a verifier protects: the header from its XID through its
     * credential (RFC 2203, Section 5.3.1).
     */
    public byte[] bytesToVerifier() {
        // In the heap: the budget of native memory must not decide whether a call is authentic.
        var out = ByteBuffer.allocate(CREDENTIAL_OFFSET + credential.length());
        out.putInt(xid).putInt(CALL).putInt(RPC_VERSION);
        out.putInt(program).putInt(version).putInt(procedure);
        credential.encode(out);
        return out.array();
    }
}
