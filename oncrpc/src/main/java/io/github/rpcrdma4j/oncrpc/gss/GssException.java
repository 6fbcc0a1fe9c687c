package io.github.rpcrdma4j.oncrpc.gss;

/** The refusal of a GSS-API mechanism. The message is one line with the reason. */
public final class GssException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int major;
    private final int minor;

    /**
     * Creates the exception.
     *
     * @param message the reason, in one line
     * @param major the GSS-API status with the numbers of RFC 2744, Section 3.9.1: neither 0 nor 1
     * @param minor the status number of the mechanism
     */
    public GssException(String message, int major, int minor, Throwable cause) {
        super(message, cause);
        this.major = major;
        this.minor = minor;
    }

    /** Returns the major status (RFC 2744). */
    public int major() {
        return major;
    }

    /** Returns the minor status, which the mechanism defines. */
    public int minor() {
        return minor;
    }
}
