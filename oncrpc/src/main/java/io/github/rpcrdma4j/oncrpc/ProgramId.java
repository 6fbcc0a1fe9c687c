package io.github.rpcrdma4j.oncrpc;

/**
 * The number of a program and its served versions (RFC 5531, Section 8.1). Numbers are unsigned.
 *
 * @param number the program number; a site may choose any number from 0x20000000 to 0x3fffffff
 * @param lowestVersion the lowest version
 * @param highestVersion the highest version; all versions between the two are served too
 */
public record ProgramId(int number, int lowestVersion, int highestVersion) {
    /** The first number that no registry assigns (RFC 5531, Section 8.3). */
    private static final int FIRST_OF_USERS = 0x2000_0000;

    /** Checks that the lowest version is not above the highest. */
    public ProgramId {
        if (Integer.compareUnsigned(lowestVersion, highestVersion) > 0) {
            throw new IllegalArgumentException(
                    "the lowest version of a program is above its highest: "
                            + Integer.toUnsignedString(lowestVersion)
                            + ", "
                            + Integer.toUnsignedString(highestVersion));
        }
    }

    /** Creates the id of a program with one version. */
    public ProgramId(int number, int version) {
        this(number, version, version);
    }

    /** Returns whether the server serves the program in a version. */
    public boolean serves(int version) {
        return Integer.compareUnsigned(version, lowestVersion) >= 0
                && Integer.compareUnsigned(version, highestVersion) <= 0;
    }

    /** Returns whether both ids contain some version of the same program. */
    public boolean overlaps(ProgramId other) {
        return number == other.number
                && Integer.compareUnsigned(lowestVersion, other.highestVersion) <= 0
                && Integer.compareUnsigned(other.lowestVersion, highestVersion) <= 0;
    }

    /**
     * Returns the name of a program for a user: its decimal number, as registries list it, and the
     * hexadecimal number too if no registry assigns it.
     */
    public static String name(int program) {
        var number = "program " + Integer.toUnsignedString(program);
        return Integer.compareUnsigned(program, FIRST_OF_USERS) < 0
                ? number
                : number + " (0x" + Integer.toHexString(program) + ")";
    }

    /** Returns a range of unsigned versions for a user: "version 2", or "versions 2 to 4". */
    public static String versions(int lowest, int highest) {
        return lowest == highest
                ? "version " + Integer.toUnsignedString(lowest)
                : "versions "
                        + Integer.toUnsignedString(lowest)
                        + " to "
                        + Integer.toUnsignedString(highest);
    }

    /** Returns the name of a procedure for a user. */
    public static String name(int program, int version, int procedure) {
        return name(program)
                + " version "
                + Integer.toUnsignedString(version)
                + " procedure "
                + Integer.toUnsignedString(procedure);
    }
}
