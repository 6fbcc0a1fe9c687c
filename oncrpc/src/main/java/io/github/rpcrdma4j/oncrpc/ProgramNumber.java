package io.github.rpcrdma4j.oncrpc;

/** How a program is named to a user. */
final class ProgramNumber {
    /** From here on numbers are not assigned by a registry (RFC 5531, Section 8.3). */
    private static final int FIRST_OF_USERS = 0x2000_0000;

    private ProgramNumber() {}

    /** As registries list it, or also as sites write those that they choose by themselves. */
    static String words(int program) {
        var number = "program " + Integer.toUnsignedString(program);
        return Integer.compareUnsigned(program, FIRST_OF_USERS) < 0
                ? number
                : number + " (0x" + Integer.toHexString(program) + ")";
    }

    /** The name of a procedure. */
    static String words(int program, int version, int procedure) {
        return words(program)
                + " version "
                + Integer.toUnsignedString(version)
                + " procedure "
                + Integer.toUnsignedString(procedure);
    }
}
