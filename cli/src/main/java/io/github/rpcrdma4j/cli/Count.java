package io.github.rpcrdma4j.cli;

/** Counts of things for people. */
final class Count {
    private Count() {}

    /**
     * @param one the word for one thing; its plural is regular, with s or ies at the end
     */
    static String words(long count, String one) {
        if (count == 1) {
            return count + " " + one;
        }
        return one.endsWith("y")
                ? count + " " + one.substring(0, one.length() - 1) + "ies"
                : count + " " + one + "s";
    }
}
