package io.github.rpcrdma4j.cli;

/** Counts of things for people. */
final class Count {
    private Count() {}

    /**
     * @param one the word for one thing; of others there is an s at its end
     */
    static String words(long count, String one) {
        return count + " " + one + (count == 1 ? "" : "s");
    }
}
