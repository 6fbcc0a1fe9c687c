package io.github.rpcrdma4j.oncrpc;

/**
 * The number of a program and the versions of it that are served (RFC 5531, Section 8.1). Numbers
 * are unsigned.
 *
 * @param number the program number; numbers from 0x20000000 to 0x3fffffff are free to choose
 * @param lowestVersion the lowest version
 * @param highestVersion the highest version; all versions between are served too
 */
public record ProgramId(int number, int lowestVersion, int highestVersion) {
    /** From here on numbers are not assigned by a registry (RFC 5531, Section 8.3). */
    private static final int FIRST_OF_USERS = 0x2000_0000;

    /** Checks that the range is one. */
    public ProgramId {
        if (Integer.compareUnsigned(lowestVersion, highestVersion) > 0) {
            throw new IllegalArgumentException(
                    "the lowest version of a program is above its highest: "
                            + Integer.toUnsignedString(lowestVersion)
                            + ", "
                            + Integer.toUnsignedString(highestVersion));
        }
    }

    /** A program in one version. */
    public ProgramId(int number, int version) {
        this(number, version, version);
    }

    /** Whether the program is served in a version. */
    public boolean serves(int version) {
        return Integer.compareUnsigned(version, lowestVersion) >= 0
                && Integer.compareUnsigned(version, highestVersion) <= 0;
    }

    /** Whether some version of a program is served by both. */
    public boolean overlaps(ProgramId other) {
        return number == other.number
                && Integer.compareUnsigned(lowestVersion, other.highestVersion) <= 0
                && Integer.compareUnsigned(other.lowestVersion, highestVersion) <= 0;
    }

    /**
     * The name of a program for a user: decimal, as registries list it, and hexadecimal as well if
     * a site has chosen it.
     */
    public static String name(int program) {
        var number = "program " + Integer.toUnsignedString(program);
        return Integer.compareUnsigned(program, FIRST_OF_USERS) < 0
                ? number
                : number + " (0x" + Integer.toHexString(program) + ")";
    }

    /** The name of a procedure for a user. */
    public static String name(int program, int version, int procedure) {
        return name(program)
                + " version "
                + Integer.toUnsignedString(version)
                + " procedure "
                + Integer.toUnsignedString(procedure);
    }
}
