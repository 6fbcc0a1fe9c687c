package io.github.rpcrdma4j.interop;

import java.util.Arrays;

/** A shape was not answered as it has to be. The message is the reason, in one line. */
final class Mismatch extends Exception {
    private static final long serialVersionUID = 1L;

    Mismatch(String message) {
        super(message);
    }

    /** Requires that two things are the same. */
    static void requireSame(String what, Object expected, Object found) throws Mismatch {
        if (!expected.equals(found)) {
            throw new Mismatch(what + " should be " + expected + " and is " + found);
        }
    }

    /** Requires that bytes are the same, and says which is the first that is not. */
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
