package io.github.rpcrdma4j.interop.access;

import java.io.IOException;

/**
 * What a call led to.
 *
 * @param id of the case
 * @param words who called what on which files
 * @param found status, results, and what became of the files
 */
public record Outcome(String id, String words, String found) {
    private static final String SEPARATOR = " | ";
    private static final String ARROW = " => ";

    /** Words before the first slash of the id: cases of a kind. */
    String group() {
        return id.substring(0, id.indexOf('/'));
    }

    /** A line of a table. */
    public String line() {
        return id + SEPARATOR + words + ARROW + found;
    }

    /**
     * Reads a line of a table.
     *
     * @throws IOException if it is none
     */
    static Outcome parse(String line) throws IOException {
        int id = line.indexOf(SEPARATOR);
        int arrow = line.lastIndexOf(ARROW);
        if (id < 0 || arrow < id || line.lastIndexOf('/', id) < 0) {
            throw new IOException("no line of a table: " + line);
        }
        return new Outcome(
                line.substring(0, id),
                line.substring(id + SEPARATOR.length(), arrow),
                line.substring(arrow + ARROW.length()));
    }
}
