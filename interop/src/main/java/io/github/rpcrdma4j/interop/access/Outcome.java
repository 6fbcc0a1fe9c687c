package io.github.rpcrdma4j.interop.access;

import java.io.IOException;

/**
 * The outcome of one case.
 *
 * @param id the id of the case
 * @param words the caller, the call and the files before it
 * @param found the status, the results, and the changes of the files
 */
public record Outcome(String id, String words, String found) {
    private static final String SEPARATOR = " | ";
    private static final String ARROW = " => ";

    /** Returns the group of the case: the id up to its first slash. */
    String group() {
        return id.substring(0, id.indexOf('/'));
    }

    /** Returns the outcome as a line of a table. */
    public String line() {
        return id + SEPARATOR + words + ARROW + found;
    }

    /**
     * Parses a line of a table.
     *
     * @throws IOException if the line is malformed
     */
    static Outcome parse(String line) throws IOException {
        int id = line.indexOf(SEPARATOR);
        int arrow = line.lastIndexOf(ARROW);
        if (id < 0 || arrow < id || line.lastIndexOf('/', id) < 0) {
            throw new IOException("not the line of a table: " + line);
        }
        return new Outcome(
                line.substring(0, id),
                line.substring(id + SEPARATOR.length(), arrow),
                line.substring(arrow + ARROW.length()));
    }
}
