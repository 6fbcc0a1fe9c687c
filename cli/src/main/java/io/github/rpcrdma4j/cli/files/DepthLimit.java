package io.github.rpcrdma4j.cli.files;

/**
 * How far down a command shows a tree, as {@code --max-depth} says.
 *
 * @param levels below the top; null: all
 */
record DepthLimit(Integer levels) {
    /**
     * Checks the number.
     *
     * @throws IllegalArgumentException if it is negative; the message tells a user why
     */
    DepthLimit {
        if (levels != null && levels < 0) {
            throw new IllegalArgumentException("--max-depth is not negative");
        }
    }

    /** Returns whether files at a depth are shown. The top has depth 0. */
    boolean includes(int depth) {
        return levels == null || depth <= levels;
    }
}
