package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.oncrpc.gss.GssFlavor;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.Optional;

/** How RPCSEC_GSS protects the arguments and results of a call (RFC 2203, Section 5). */
enum GssProtection {
    /** Not at all: the credential has another flavor, or the service is none, as with krb5. */
    NONE,
    /** Arguments and results are those of RPCSEC_GSS itself, which manages a context. */
    CONTEXT,
    INTEGRITY,
    PRIVACY,
    /** The credential cannot be read. */
    UNKNOWN;

    private static final int DATA = 0;
    private static final int SERVICE_NONE = 1;
    private static final int SERVICE_INTEGRITY = 2;
    private static final int SERVICE_PRIVACY = 3;

    /** Returns the protection of a call with a credential of any flavor. */
    static GssProtection of(RawAuth credential) {
        if (credential.flavor() != GssFlavor.NUMBER) {
            return NONE;
        }
        try {
            // version, procedure, sequence number, service
            var in = new XdrReader(credential.body());
            in.uint32();
            int procedure = in.uint32();
            in.uint32();
            int service = in.uint32();
            if (procedure != DATA) {
                return CONTEXT;
            }
            return switch (service) {
                case SERVICE_NONE -> NONE;
                case SERVICE_INTEGRITY -> INTEGRITY;
                case SERVICE_PRIVACY -> PRIVACY;
                default -> UNKNOWN;
            };
        } catch (XdrException _) {
            return UNKNOWN;
        }
    }

    /** Returns whether bulk items may move in chunks (RFC 8166, Section 8.2.2.3). */
    boolean allowsChunks() {
        return this == NONE || this == UNKNOWN;
    }

    /**
     * Returns a reader of the arguments or results of the program; empty if they cannot be read.
     *
     * @param in positioned behind the header of the message
     * @throws XdrException if what protects them is malformed
     */
    Optional<XdrReader> open(XdrReader in) throws XdrException {
        return switch (this) {
            case NONE -> Optional.of(in);
            case INTEGRITY -> {
                // The signed data begins with the sequence number.
                var signed = new XdrReader(in.opaque(Integer.MAX_VALUE));
                in.opaque(Integer.MAX_VALUE);
                if (in.remaining() > 0) {
                    throw new XdrException("there are bytes behind the checksum");
                }
                signed.uint32();
                yield Optional.of(signed);
            }
            case CONTEXT, PRIVACY, UNKNOWN -> Optional.empty();
        };
    }

    /** Returns why {@link #open} has returned nothing, for a user. */
    String why() {
        return switch (this) {
            case NONE, INTEGRITY -> "";
            case CONTEXT -> "RPCSEC_GSS manages a context";
            case PRIVACY -> "RPCSEC_GSS encrypts it";
            case UNKNOWN -> "its RPCSEC_GSS credential cannot be read";
        };
    }
}
