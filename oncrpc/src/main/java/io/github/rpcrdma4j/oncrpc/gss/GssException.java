package io.github.rpcrdma4j.oncrpc.gss;

/** A mechanism of the GSS-API refuses. The message is one line with its reason. */
public final class GssException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int major;
    private final int minor;

    /**
     * A failure of the mechanism.
     *
     * @param major the status of the GSS-API as RFC 2744, Section 3.9.1, numbers it: not 0, not 1
     * @param minor the mechanism's own number
     */
    public GssException(String message, int major, int minor, Throwable cause) {
        super(message, cause);
        this.major = major;
        this.minor = minor;
    }

    /** The major status (RFC 2743). */
    public int major() {
        return major;
    }

    /** The minor status, which the mechanism defines. */
    public int minor() {
        return minor;
    }
}
