package io.github.rpcrdma4j.oncrpc.gss.krb5;

import io.github.rpcrdma4j.oncrpc.gss.GssException;
import org.ietf.jgss.GSSException;

/** Converts failures of the JDK to {@link GssException}. */
final class KerberosFailures {
    /** The position of routine errors in a status: its upper half (RFC 2744, Section 3.9.1). */
    private static final int ROUTINE_SHIFT = 16;

    private static final int FAILURE = 13;

    private KerberosFailures() {}

    static String oneLine(Exception failure) {
        var words = failure.getMessage();
        return words == null
                ? failure.getClass().getSimpleName()
                : words.lines().findFirst().orElse("");
    }

    /**
     * @param what the failed operation, as text for a user
     */
    static GssException of(String what, Exception failure) {
        return failure instanceof GSSException known
                ? new GssException(
                        what + ": " + oneLine(known),
                        routineError(known.getMajor()) << ROUTINE_SHIFT,
                        known.getMinor(),
                        known)
                : new GssException(
                        what + ": " + oneLine(failure), FAILURE << ROUTINE_SHIFT, 0, failure);
    }

    /** Returns the number in RFC 2744 of an error of JGSS, which has other numbers. */
    private static int routineError(int major) {
        return switch (major) {
            case GSSException.BAD_MECH -> 1;
            case GSSException.BAD_NAME -> 2;
            case GSSException.BAD_NAMETYPE -> 3;
            case GSSException.BAD_BINDINGS -> 4;
            case GSSException.BAD_STATUS -> 5;
            case GSSException.BAD_MIC -> 6;
            case GSSException.NO_CRED -> 7;
            case GSSException.NO_CONTEXT -> 8;
            case GSSException.DEFECTIVE_TOKEN -> 9;
            case GSSException.DEFECTIVE_CREDENTIAL -> 10;
            case GSSException.CREDENTIALS_EXPIRED -> 11;
            case GSSException.CONTEXT_EXPIRED -> 12;
            case GSSException.BAD_QOP -> 14;
            case GSSException.UNAUTHORIZED -> 15;
            case GSSException.UNAVAILABLE -> 16;
            case GSSException.DUPLICATE_ELEMENT -> 17;
            case GSSException.NAME_NOT_MN -> 18;
            default -> FAILURE;
        };
    }
}
