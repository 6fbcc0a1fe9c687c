package io.github.rpcrdma4j.interop;

import java.util.Arrays;

/**
 * Thrown if a server does not answer a shape as required. The message is the reason, in one line.
 */
final class Mismatch extends Exception {
    private static final long serialVersionUID = 1L;

    Mismatch(String message) {
        super(message);
    }

    /** Requires that two values are equal. */
    static void requireSame(String what, Object expected, Object found) throws Mismatch {
        if (!expected.equals(found)) {
            throw new Mismatch(what + " should be " + expected + " and is " + found);
        }
    }

    /** Requires that bytes are equal; the message of the exception names the first difference. */
    static void requireSame(String what, byte[] expected, byte[] found) throws Mismatch {
        requireSame("the length of " + what, expected.length, found.length);
        int at = Arrays.mismatch(expected, found);
        if (at >= 0) {
            throw new Mismatch(
                    "byte %d of %s should be %02x and is %02x"
                            .formatted(at, what, expected[at], found[at]));
        }
    }
}
