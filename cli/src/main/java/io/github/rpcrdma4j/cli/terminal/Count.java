package io.github.rpcrdma4j.cli.terminal;

/** Formats counts for users. */
public final class Count {
    private Count() {}

    /**
     * Formats a count with its noun.
     *
     * @param one the noun in the singular; its plural is regular, ending with s or ies
     */
    public static String words(long count, String one) {
        if (count == 1) {
            return count + " " + one;
        }
        return one.endsWith("y")
                ? count + " " + one.substring(0, one.length() - 1) + "ies"
                : count + " " + one + "s";
    }
}
