package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * The directories of a server on the path to a file, from the file up. It detects endless trees: a
 * directory that contains itself, or an unlimited depth. Each directory stores only its own name,
 * so that a deep tree takes little memory.
 *
 * @param name of the directory in the one above, for messages; the whole path for the first
 * @param above null for the first
 */
public record ParentDirectories(
        FileHandle directory, String name, ParentDirectories above, int depth) {
    /** A deeper tree counts as endless. */
    static final int DEPTH_MAX = 5000;

    private static final int SHOWN_MAX = 200;

    /** Creates the entry of a directory below others. */
    public ParentDirectories(FileHandle directory, String name, ParentDirectories above) {
        this(directory, name, above, above == null ? 1 : above.depth + 1);
    }

    /**
     * Returns the path of a file, for messages.
     *
     * @param above its directory; null if there is none
     * @param name of the file; its whole path if {@code above} is null
     */
    public static String path(ParentDirectories above, String name) {
        var names = new ArrayDeque<String>();
        for (var at = above; at != null; at = at.above) {
            names.addFirst(at.name);
        }
        names.addLast(name);
        if (names.getFirst().equals("/")) {
            // The root of the server is the slash in front of the first name.
            names.removeFirst();
            return "/" + String.join("/", names);
        }
        return String.join("/", names);
    }

    /** Returns the path of the directory, for messages. */
    public String path() {
        return path(above, name);
    }

    /**
     * Checks a directory before it is entered.
     *
     * @param above the directories that lead to it; null for the first
     * @param path of it, for messages
     * @throws IOException if it contains itself, or lies too deep
     */
    public static void requireNoCycle(ParentDirectories above, FileHandle directory, String path)
            throws IOException {
        for (var at = above; at != null; at = at.above) {
            if (at.directory.equals(directory)) {
                throw new IOException(
                        shown(path) + ": this directory contains itself on the server");
            }
        }
        requireDepth(above == null ? 1 : above.depth + 1, path);
    }

    /**
     * Checks the depth of a directory before it is entered.
     *
     * @param path of it, for messages
     * @throws IOException if it lies too deep
     */
    public static void requireDepth(int depth, String path) throws IOException {
        if (depth > DEPTH_MAX) {
            throw new IOException(
                    shown(path) + ": it is more than " + DEPTH_MAX + " directories deep");
        }
    }

    private static String shown(String path) {
        return "cannot go into "
                + (path.length() > SHOWN_MAX ? path.substring(0, SHOWN_MAX) + "..." : path);
    }
}
