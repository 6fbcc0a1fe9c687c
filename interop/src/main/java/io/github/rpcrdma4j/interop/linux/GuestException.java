package io.github.rpcrdma4j.interop.linux;

/** Thrown if the guest died or hung. The message ends with the last lines of its console. */
final class GuestException extends Exception {
    private static final long serialVersionUID = 1;

    GuestException(String message) {
        super(message);
    }
}
